package dev.berth.server.tls;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import java.net.InetAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.List;

class TlsIdentityTest {

    private static final Instant NOW = Instant.now().truncatedTo(ChronoUnit.SECONDS);

    @TempDir private Path directory;
    private TestCertificate certificate;

    @BeforeEach
    void create() throws Exception {
        certificate = TestCertificate.in(directory, "gpu1.lab", NOW, Duration.ofDays(3));
    }

    @Test
    void whatWasCreatedIsReadAgain() throws Exception {
        var read = TlsIdentity.read(certificate.files());
        assertThat(read).isEqualTo(certificate.identity());
        assertThat(read.hosts()).containsExactly("gpu1.lab", "localhost", "127.0.0.1");
        assertThat(read.expiresAt()).isEqualTo(NOW.plus(Duration.ofDays(3)));
        assertThat(read.fingerprint()).matches("([0-9A-F]{2}:){31}[0-9A-F]{2}");
        read.chain().getFirst().verify(read.chain().getFirst().getPublicKey());
        read.chain().getFirst().checkValidity();
    }

    @ParameterizedTest
    @CsvSource({
        "::1, [::1]",
        "fd00::2, [fd00::2]",
        "2001:db8:0:0:1:0:0:0, [2001:db8:0:0:1::]",
        "2001:db8::1:0:2:3:4, [2001:db8:0:1:0:2:3:4]"
    })
    void addressesAreWrittenAsBrowsersDo(String address, String host) throws Exception {
        var identity =
                new SelfSignedCertificate(List.of("x"), List.of(InetAddress.getByName(address)))
                        .create(NOW, Duration.ofDays(1));
        assertThat(identity.hosts()).containsExactly("x", host);
    }

    @Test
    void keyOfAnotherCertificateIsRefused() throws Exception {
        var other = TestCertificate.in(Files.createDirectory(directory.resolve("b")), "x");
        assertRefused(
                new TlsFiles(certificate.files().certificate(), other.files().key()),
                "tls_key",
                "does not belong to");
    }

    @Test
    void keyThatEverybodyReadsIsRefused() throws Exception {
        Files.setPosixFilePermissions(
                certificate.files().key(), PosixFilePermissions.fromString("rw-r--r--"));
        assertRefused(certificate.files(), "tls_key", "chmod o-r");
    }

    @Test
    void otherFormatsOfKeysNameTheConversion() throws Exception {
        Files.writeString(
                certificate.files().key(),
                "-----BEGIN RSA PRIVATE KEY-----\nAAAA\n-----END RSA PRIVATE KEY-----\n");
        assertRefused(certificate.files(), "tls_key", "RSA PRIVATE KEY", "openssl pkcs8");
    }

    @Test
    void filesWithoutCertificateOrKeyAreRefused() throws Exception {
        Files.writeString(certificate.files().key(), "hello");
        assertRefused(certificate.files(), "tls_key", "no private key");
        Files.writeString(certificate.files().certificate(), "hello");
        assertRefused(certificate.files(), "tls_cert", "PEM");
        Files.delete(certificate.files().certificate());
        assertRefused(certificate.files(), "tls_cert", "cannot be read");
    }

    private static void assertRefused(TlsFiles files, String key, String... parts) {
        assertThatThrownBy(() -> TlsIdentity.read(files))
                .isInstanceOf(UnusableTlsFiles.class)
                .hasMessageStartingWith(key + ": ")
                .hasMessageContainingAll(parts);
    }
}
