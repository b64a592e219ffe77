package dev.berth.notify;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.berth.config.receiver.AddressPolicy;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.net.InetAddress;
import java.time.Duration;

/** Which addresses a receiver may have. */
class HostResolverTest {

    @ParameterizedTest
    @ValueSource(
            strings = {
                "169.254.169.254",
                "169.254.0.1",
                "fe80::1",
                "febf::1",
                "fd00:ec2::254",
                "fd20:ce::254",
                "100.100.100.200",
                "168.63.129.16",
                "192.0.0.192",
                "0.0.0.0",
                "0.1.2.3",
                "::",
                "224.0.0.1",
                "ff02::1",
                "255.255.255.255",
                "240.0.0.1",
                "::ffff:169.254.169.254",
                "::169.254.169.254",
                "::169.254.0.200",
                "::169.254.0.128",
                "::169.254.0.1",
                "::168.63.129.16",
                "::0.0.0.2",
                "::0.0.0.200",
                "::255.255.255.255",
                "::ffff:0:169.254.169.254",
                "64:ff9b::169.254.169.254",
                "64:ff9b:1::169.254.169.254",
                "64:ff9b:1:a9fe:a9:fe00::",
                "64:ff9b:1:a9:fe:a9fe::",
                "64:ff9b:1:7:a9:fea9:fe00:0",
                "64:ff9b:1:7::168.63.129.16",
                "64:ff9b:1::",
                "2002:a9fe:a9fe::1"
            })
    void nothingIsSentThere(String address) throws Exception {
        assertThat(AddressPolicy.refusalReason(address)).isPresent();
        assertThat(AddressPolicy.refusalReason(InetAddress.ofLiteral(address))).isPresent();
        assertThatThrownBy(() -> HostResolver.allowedAddresses(address, Duration.ofSeconds(5)))
                .isInstanceOf(DeliveryException.class)
                .hasMessageContaining("is refused");
    }

    @ParameterizedTest
    @ValueSource(strings = {"2852039166", "0xa9fea9fe", "0251.0376.0251.0376", "169.254.43518"})
    void unusualAddressSpellingsAreRefused(String host) {
        assertThat(AddressPolicy.refusalReason(host)).isPresent();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "127.0.0.1",
                "::1",
                "::10.1.2.3",
                "::10.1.0.1",
                "64:ff9b::8.8.8.8",
                "64:ff9b:1::10.1.2.3",
                "64:ff9b:1:a01:2:300::",
                "10.1.2.3",
                "172.16.0.1",
                "192.168.1.1",
                "fd12:3456::1",
                "8.8.8.8",
                "2001:db8::1",
                "mail.example.org"
            })
    void thatIsAnAddressLikeAnyOther(String host) {
        assertThat(AddressPolicy.refusalReason(host)).isEmpty();
    }

    @Test
    void aHostIsCheckedByAllItsAddresses() throws Exception {
        assertThat(HostResolver.allowedAddresses("localhost", Duration.ofSeconds(5)))
                .isNotEmpty()
                .allMatch(InetAddress::isLoopbackAddress);
        assertThatThrownBy(
                        () ->
                                HostResolver.allowedAddresses(
                                        "no-such-host.invalid", Duration.ofSeconds(5)))
                .isInstanceOf(DeliveryException.class)
                .hasMessageContaining("no-such-host.invalid");
    }
}
