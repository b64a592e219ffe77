package dev.berth.http;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

import java.net.InetSocketAddress;
import java.util.Optional;

class ClientConnectionTest {

    private static ClientConnection from(String address, boolean isEncrypted, String protocol) {
        return new ClientConnection(
                Optional.of(new InetSocketAddress(address, 40_000)),
                isEncrypted,
                Optional.of(protocol).filter(text -> !text.isEmpty()),
                Optional.of("192.0.2.7"));
    }

    @Test
    void onlyTlsTheMachineItselfAndItsSocketAreConfidential() {
        assertThat(from("192.0.2.1", false, "").isConfidential(false)).isFalse();
        assertThat(from("192.0.2.1", true, "").isConfidential(false)).isTrue();
        assertThat(from("127.0.0.1", false, "").isConfidential(false)).isTrue();
        var socket =
                new ClientConnection(Optional.empty(), false, Optional.empty(), Optional.empty());
        assertThat(socket.isConfidential(false)).isTrue();
    }

    @Test
    void whatAProxySaysCountsOnlyBehindOne() {
        assertThat(from("192.0.2.1", false, "https").isConfidential(false)).isFalse();
        assertThat(from("127.0.0.1", false, "https").isConfidential(true)).isTrue();
        assertThat(from("127.0.0.1", false, "http").isConfidential(true)).isFalse();
        assertThat(from("127.0.0.1", false, "").isConfidential(true)).isFalse();
        assertThat(from("127.0.0.1", false, "").client(false)).isEqualTo("127.0.0.1");
        assertThat(from("127.0.0.1", false, "").client(true)).isEqualTo("192.0.2.7");
    }
}
