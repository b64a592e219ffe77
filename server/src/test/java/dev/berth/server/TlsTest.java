package dev.berth.server;

import static dev.berth.testkit.Eventually.eventually;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.berth.http.limit.UserLimits;
import dev.berth.identity.AuthMode;
import dev.berth.server.tls.TestCertificate;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.net.Socket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import java.util.Set;

import javax.net.ssl.SSLException;
import javax.net.ssl.SSLSocket;

/** The port with a certificate of its own. */
class TlsTest {

    @TempDir private Path directory;

    private static HttpSettings settings(
            Path home, TestCertificate certificate, String host, AuthMode auth) {
        return new HttpSettings(
                home,
                Path.of("/tmp"),
                host,
                0,
                false,
                auth,
                Optional.empty(),
                Set.of(),
                Optional.of(certificate.files()),
                false,
                UserLimits.DEFAULT);
    }

    private static TestServer serve(TestCertificate certificate) throws Exception {
        return serve(certificate, "127.0.0.1", AuthMode.NONE);
    }

    private static TestServer serve(TestCertificate certificate, String host, AuthMode auth)
            throws Exception {
        return TestServer.open(
                home -> settings(home, certificate, host, auth), HttpServer.Timeouts.DEFAULT);
    }

    private static HttpResponse<String> get(HttpClient client, String url, String... headers)
            throws Exception {
        var request = HttpRequest.newBuilder(URI.create(url));
        if (headers.length > 0) {
            request.headers(headers);
        }
        return client.send(request.build(), HttpResponse.BodyHandlers.ofString());
    }

    @Test
    void portServesHttpsAndTheSocketPlainHttp() throws Exception {
        var certificate = TestCertificate.in(directory, "gpu1.lab");
        try (var server = serve(certificate)) {
            var url = server.door.url();
            assertThat(url).startsWith("https://127.0.0.1:");
            assertThat(get(certificate.trustingClient(), url + "/api/me").body())
                    .contains("\"via\":\"loopback\"");
            assertThat(server.socket().get("/api/health").status()).isEqualTo(200);
            assertThat(server.door.sessionCookie().isSecure()).isTrue();
        }
    }

    @Test
    void plainHttpIsToldToUseHttps() throws Exception {
        try (var server = serve(TestCertificate.in(directory, "gpu1.lab"));
                var client = new Socket("127.0.0.1", URI.create(server.door.url()).getPort())) {
            client.getOutputStream()
                    .write("GET / HTTP/1.1\r\nHost: x\r\n\r\n".getBytes(StandardCharsets.US_ASCII));
            var reply =
                    new String(client.getInputStream().readAllBytes(), StandardCharsets.US_ASCII);
            assertThat(reply).startsWith("HTTP/1.1 400 ").contains("use https://");
        }
    }

    @Test
    void namesOfTheCertificateAreServedAndNoOther() throws Exception {
        var certificate = TestCertificate.in(directory, "*.lab.example");
        try (var server = serve(certificate)) {
            int port = URI.create(server.door.url()).getPort();
            assertThat(statusOf(certificate, port, "gpu1.lab.example:" + port, "")).contains("200");
            assertThat(
                            statusOf(
                                    certificate,
                                    port,
                                    "gpu1.lab.example",
                                    "Origin: https://gpu1.lab.example\r\n"))
                    .contains("200");
            assertThat(
                            statusOf(
                                    certificate,
                                    port,
                                    "gpu1.lab.example",
                                    "Origin: http://gpu1.lab.example\r\n"))
                    .contains("403");
            assertThat(statusOf(certificate, port, "evil.example", "")).contains("403");
            assertThat(statusOf(certificate, port, "a.b.lab.example", "")).contains("403");
        }
    }

    /** With a Host of its own choice, which Java's HTTP client does not allow. */
    private static String statusOf(TestCertificate certificate, int port, String host, String more)
            throws Exception {
        var sockets = certificate.trustingClient().sslContext().getSocketFactory();
        try (var client = (SSLSocket) sockets.createSocket("127.0.0.1", port)) {
            client.getOutputStream()
                    .write(
                            "GET /api/me HTTP/1.1\r\nHost: %s\r\n%sConnection: close\r\n\r\n"
                                    .formatted(host, more)
                                    .getBytes(StandardCharsets.US_ASCII));
            var reply =
                    new String(client.getInputStream().readAllBytes(), StandardCharsets.US_ASCII);
            return reply.lines().findFirst().orElse("");
        }
    }

    @Test
    void renewedCertificateIsUsedWithoutARestart() throws Exception {
        var old = TestCertificate.in(directory, "gpu1.lab");
        try (var server = serve(old)) {
            var url = server.door.url() + "/api/health";
            assertThat(get(old.trustingClient(), url).statusCode()).isEqualTo(200);
            var renewed = TestCertificate.in(directory, "gpu1.lab");
            eventually("the new certificate is in use", () -> isTrusted(renewed, url));
            var untrusting = old.trustingClient();
            assertThatThrownBy(() -> get(untrusting, url)).isInstanceOf(SSLException.class);
        }
    }

    private static boolean isTrusted(TestCertificate certificate, String url) throws Exception {
        try {
            return get(certificate.trustingClient(), url).statusCode() == 200;
        } catch (SSLException refused) {
            return false;
        }
    }

    @Test
    void damagedFilesLeaveTheLastCertificateInUseAndFailHealth() throws Exception {
        var certificate = TestCertificate.in(directory, "gpu1.lab");
        try (var server = serve(certificate)) {
            Files.writeString(certificate.files().certificate(), "half a cert");
            eventually(
                    "health tells",
                    () -> server.socket().get("/api/health").text().contains("still uses the one"));
            assertThat(server.socket().get("/api/health").text()).contains("tls_cert: ");
            var url = server.door.url() + "/api/me";
            assertThat(get(certificate.trustingClient(), url).statusCode()).isEqualTo(200);
        }
    }

    @Test
    void certificateThatExpiresSoonFailsHealth() throws Exception {
        var certificate =
                TestCertificate.in(directory, "gpu1.lab", Instant.now(), Duration.ofDays(6));
        try (var server = serve(certificate)) {
            var health = server.socket().get("/api/health");
            assertThat(health.status()).isEqualTo(503);
            assertThat(health.text()).contains("cert.pem expires at");
        }
    }

    @Test
    void otherMachinesReachItByTheNameInTheCertificate() throws Exception {
        var certificate = TestCertificate.in(directory, "gpu1.lab");
        try (var server = serve(certificate, "0.0.0.0", AuthMode.TOKEN)) {
            assertThat(server.door.url()).startsWith("https://127.0.0.1:");
            assertThat(server.door.publicUrl()).startsWith("https://gpu1.lab:");
        }
        assertThatThrownBy(() -> settings(directory, certificate, "0.0.0.0", AuthMode.NONE))
                .hasMessageStartingWith("auth: ");
    }
}
