package dev.berth.app.endtoend;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

import java.io.InputStream;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.attribute.PosixFilePermissions;
import java.security.KeyStore;
import java.security.cert.CertificateFactory;

import javax.net.ssl.SSLContext;
import javax.net.ssl.TrustManagerFactory;

@ExtendWith(ServerHarnessExtension.class)
final class TlsCommandTest {

    @Test
    void createdCertificateServesOtherMachines(ServerHarness harness) throws Exception {
        var said = harness.run("tls", "create", "--name", "gpu1.lab");
        var certificate = harness.home().resolve("tls/cert.pem");
        var key = harness.home().resolve("tls/key.pem");
        assertThat(said).contains("gpu1.lab", "SHA-256 ", "tls_cert: tls/cert.pem");
        assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(key)))
                .isEqualTo("rw-------");

        harness.configure("tls_cert: tls/cert.pem\ntls_key: tls/key.pem\nhost: 0.0.0.0\n");
        var server = harness.options("--gpus", "none", "--auth", "token").launch();
        var url = server.awaitReady();
        assertThat(url).startsWith("https://127.0.0.1:");
        try (var in = Files.newInputStream(certificate)) {
            var reply =
                    trusting(in)
                            .send(
                                    HttpRequest.newBuilder(URI.create(url + "/api/tasks")).build(),
                                    HttpResponse.BodyHandlers.ofString());
            assertThat(reply.statusCode()).isEqualTo(401);
        }
        assertThat(harness.run("login", "--print")).contains("https://gpu1.lab:");
    }

    private static HttpClient trusting(InputStream certificate) throws Exception {
        var trusted = KeyStore.getInstance("PKCS12");
        trusted.load(null, null);
        trusted.setCertificateEntry(
                "berth", CertificateFactory.getInstance("X.509").generateCertificate(certificate));
        var managers = TrustManagerFactory.getInstance("PKIX");
        managers.init(trusted);
        var context = SSLContext.getInstance("TLS");
        context.init(null, managers.getTrustManagers(), null);
        return HttpClient.newBuilder().sslContext(context).build();
    }

    @Test
    void existingCertificateIsReplacedOnlyOnRequest(ServerHarness harness) throws Exception {
        harness.run("tls", "create");
        var first = Files.readString(harness.home().resolve("tls/cert.pem"));
        var refused = harness.command("tls", "create");
        assertThat(refused.awaitEnd()).isNotZero();
        assertThat(refused.stderr()).contains("--force");
        assertThat(Files.readString(harness.home().resolve("tls/cert.pem"))).isEqualTo(first);
        harness.run("tls", "create", "--force");
        assertThat(Files.readString(harness.home().resolve("tls/cert.pem"))).isNotEqualTo(first);
    }

    @Test
    void wrongArgumentsAndFilesAreNamed(ServerHarness harness) throws Exception {
        for (var wrong :
                new String[][] {{"--name", "a b"}, {"--name", "1.2.3"}, {"--days", "9999"}}) {
            var process = harness.command("tls", "create", wrong[0], wrong[1]);
            assertThat(process.awaitEnd()).isEqualTo(2);
            assertThat(process.stderr()).contains(wrong[0]);
        }
        harness.configure("tls_cert: missing.pem\n").options("--gpus", "none");
        var half = harness.launch();
        assertThat(half.awaitEnd()).isNotZero();
        assertThat(half.stderr()).contains("tls_cert needs tls_key");
        harness.configure("tls_cert: missing.pem\ntls_key: missing.pem\n");
        var missing = harness.launch();
        assertThat(missing.awaitEnd()).isNotZero();
        assertThat(missing.stderr()).contains("tls_cert: ", "missing.pem", "cannot be read");
    }
}
