package dev.berth.notify;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.sun.net.httpserver.HttpServer;
import com.sun.net.httpserver.HttpsConfigurator;
import com.sun.net.httpserver.HttpsServer;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.security.KeyStore;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.Executors;

import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.SSLContext;

/** Requests to local servers. */
class HttpPostTest {

    private static final byte[] BODY = "{\"a\":1}".getBytes(StandardCharsets.UTF_8);

    private final List<String> requests = new CopyOnWriteArrayList<>();
    private HttpServer server;
    private HttpPost post;

    @BeforeEach
    void open() throws Exception {
        server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        server.setExecutor(Executors.newVirtualThreadPerTaskExecutor());
        server.start();
        post = new HttpPost(new ConnectionSettings(DeliveryTiming.DEFAULT, Optional.empty()));
    }

    @AfterEach
    void close() {
        post.close();
        server.stop(0);
    }

    private URI answering(int status, byte[] body, String... headers) {
        server.createContext(
                "/",
                exchange -> {
                    var sent = exchange.getRequestHeaders();
                    requests.add(
                            String.join(
                                    "|",
                                    exchange.getRequestMethod(),
                                    exchange.getRequestURI().toString(),
                                    sent.getFirst("Connection"),
                                    sent.getFirst("User-Agent"),
                                    String.valueOf(sent.getFirst("Accept-Encoding")),
                                    String.valueOf(sent.getFirst("Cookie")),
                                    sent.getFirst("Content-Type"),
                                    new String(
                                            exchange.getRequestBody().readAllBytes(),
                                            StandardCharsets.UTF_8)));
                    for (int i = 0; i < headers.length; i += 2) {
                        exchange.getResponseHeaders().add(headers[i], headers[i + 1]);
                    }
                    exchange.sendResponseHeaders(status, body.length == 0 ? -1 : body.length);
                    exchange.getResponseBody().write(body);
                    exchange.close();
                });
        return URI.create("http://127.0.0.1:" + server.getAddress().getPort() + "/a%20b?k=v%26");
    }

    @Test
    void eachRequestIsCompleteAndHasItsOwnConnection() throws Exception {
        var url = answering(200, "ok".getBytes(StandardCharsets.UTF_8), "Set-Cookie", "s=1");
        for (int i = 0; i < 2; i++) {
            var answer = post.send(url, BODY);
            assertThat(answer.status()).isEqualTo(200);
            assertThat(answer.text()).isEqualTo("ok");
        }
        assertThat(requests)
                .hasSize(2)
                .containsOnly(
                        "POST|/a%20b?k=v%26|close|berth|null|null|application/json;"
                                + " charset=utf-8|{\"a\":1}");
    }

    @ParameterizedTest
    @ValueSource(ints = {204, 301, 302, 307, 401, 403, 407, 429, 500, 503})
    void everyStatusIsReportedAsItIs(int status) throws Exception {
        var url = answering(status, new byte[0], "Location", "/elsewhere");
        assertThat(post.send(url, BODY).status()).isEqualTo(status);
        assertThat(requests).hasSize(1);
    }

    @Test
    void onlyTheFirstPartOfALongAnswerIsRead() throws Exception {
        var answer =
                post.send(
                        answering(200, "x".repeat(5 << 20).getBytes(StandardCharsets.UTF_8)), BODY);
        assertThat(answer.status()).isEqualTo(200);
        assertThat(answer.body()).hasSize(64 << 10);
    }

    @Test
    void aCompressedAnswerIsNotUnpacked() throws Exception {
        var url = answering(200, new byte[] {1, 2, 3}, "Content-Encoding", "gzip");
        assertThat(post.send(url, BODY).body()).containsExactly(1, 2, 3);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "http://169.254.169.254/latest",
                "http://[fe80::1]/",
                "https://0.0.0.0/",
                "http://2852039166/"
            })
    void aForbiddenAddressIsNotConnectedTo(String url) {
        assertThatThrownBy(() -> post.send(URI.create(url), BODY))
                .isInstanceOf(DeliveryException.class)
                .hasMessageContaining("is refused: ");
    }

    @Test
    void anIpv6AddressIsReached() throws Exception {
        var other = HttpServer.create(new InetSocketAddress("::1", 0), 0);
        try {
            other.createContext(
                    "/",
                    exchange -> {
                        exchange.sendResponseHeaders(204, -1);
                        exchange.close();
                    });
            other.start();
            var url = URI.create("http://[::1]:" + other.getAddress().getPort() + "/");
            assertThat(post.send(url, BODY).status()).isEqualTo(204);
        } finally {
            other.stop(0);
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "SSH-2.0-x\r\n", "HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nabc"})
    void aBrokenAnswerIsAFailure(String answer) throws Exception {
        try (var raw = new ServerSocket(0, 5, InetAddress.getLoopbackAddress())) {
            var talk = CompletableFuture.runAsync(() -> answerOnce(raw, answer));
            var url = URI.create("http://127.0.0.1:" + raw.getLocalPort() + "/");
            assertThatThrownBy(() -> post.send(url, BODY))
                    .isInstanceOf(DeliveryException.class)
                    .hasMessageStartingWith("127.0.0.1 broke off: ");
            talk.join();
        }
    }

    private static void answerOnce(ServerSocket server, String answer) {
        try (var socket = server.accept()) {
            var in =
                    new BufferedReader(
                            new InputStreamReader(socket.getInputStream(), StandardCharsets.UTF_8));
            while (!in.readLine().isEmpty()) {}
            for (int i = 0; i < BODY.length; i++) {
                in.read();
            }
            socket.getOutputStream().write(answer.getBytes(StandardCharsets.UTF_8));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @Test
    void onlyATrustedServerWithTheRightNameGetsAMessage(@TempDir Path directory) throws Exception {
        var file = directory.resolve("key.p12");
        SmtpServer.make(file);
        var keys = KeyStore.getInstance(file.toFile(), "secret".toCharArray());
        var secure = secureServer(keys);
        int port = secure.getAddress().getPort();
        var byAddress = URI.create("https://127.0.0.1:" + port + "/");
        var byName = URI.create("https://localhost:" + port + "/");
        var settings =
                new ConnectionSettings(
                        DeliveryTiming.DEFAULT, Optional.of(SmtpServer.believing(keys)));
        try (var trusting = new HttpPost(settings)) {
            assertThat(trusting.send(byAddress, BODY).status()).isEqualTo(204);
            assertThatThrownBy(() -> trusting.send(byName, BODY))
                    .isInstanceOf(DeliveryException.class)
                    .hasMessageStartingWith("no safe way to localhost: ");
            assertThatThrownBy(() -> post.send(byAddress, BODY))
                    .isInstanceOf(DeliveryException.class)
                    .hasMessageStartingWith("no safe way to 127.0.0.1: ");
            assertThat(requests).containsExactly("secure");
        } finally {
            secure.stop(0);
        }
    }

    private HttpsServer secureServer(KeyStore keys) throws Exception {
        var owners = KeyManagerFactory.getInstance(KeyManagerFactory.getDefaultAlgorithm());
        owners.init(keys, "secret".toCharArray());
        var tls = SSLContext.getInstance("TLS");
        tls.init(owners.getKeyManagers(), null, null);
        var secure =
                HttpsServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        secure.setHttpsConfigurator(new HttpsConfigurator(tls));
        secure.createContext(
                "/",
                exchange -> {
                    requests.add("secure");
                    exchange.sendResponseHeaders(204, -1);
                    exchange.close();
                });
        secure.start();
        return secure;
    }

    @Test
    void aClosedClientSendsNothing() throws Exception {
        var url = answering(200, new byte[0]);
        post.send(url, BODY);
        post.close();
        assertThatThrownBy(() -> post.send(url, BODY)).isInstanceOf(DeliveryException.class);
        var unused = new HttpPost(new ConnectionSettings(DeliveryTiming.DEFAULT, Optional.empty()));
        unused.close();
        assertThatThrownBy(() -> unused.send(url, BODY))
                .isInstanceOf(DeliveryException.class)
                .hasMessage("the server stops");
        assertThat(requests).hasSize(1);
    }
}
