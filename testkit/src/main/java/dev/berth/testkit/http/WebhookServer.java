package dev.berth.testkit.http;

import static dev.berth.testkit.Eventually.eventually;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;

import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executors;

/** A local receiver that records requests and gives configured answers. */
public final class WebhookServer implements AutoCloseable {

    /** A received request. */
    public record Got(String method, URI uri, String contentType, String body, long nanos) {
        public JsonNode json() {
            return JsonMapper.shared().readTree(body);
        }
    }

    /** The answer to give. */
    public record Manner(int status, String body) {}

    private final HttpServer server;
    private final List<Got> got = new CopyOnWriteArrayList<>();
    private volatile Manner manner = new Manner(200, "{\"code\":0,\"errcode\":0}");
    private volatile CountDownLatch gate = new CountDownLatch(0);

    public WebhookServer() {
        try {
            server =
                    HttpServer.create(
                            new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        server.setExecutor(Executors.newVirtualThreadPerTaskExecutor());
        server.createContext("/", this::take);
        server.start();
    }

    private void take(HttpExchange exchange) throws IOException {
        var body = new String(exchange.getRequestBody().readAllBytes(), StandardCharsets.UTF_8);
        got.add(
                new Got(
                        exchange.getRequestMethod(),
                        exchange.getRequestURI(),
                        exchange.getRequestHeaders().getFirst("Content-Type"),
                        body,
                        System.nanoTime()));
        try {
            gate.await();
        } catch (InterruptedException _) {
            Thread.currentThread().interrupt();
        }
        var now = manner;
        var bytes = now.body().getBytes(StandardCharsets.UTF_8);
        if (now.status() / 100 == 3) {
            exchange.getResponseHeaders().add("Location", url("/elsewhere").toString());
        }
        // For this server a length of 0 means chunked encoding, which a receiver may use.
        exchange.sendResponseHeaders(now.status(), bytes.length == 0 ? -1 : 0);
        exchange.getResponseBody().write(bytes);
        exchange.close();
    }

    public URI url(String path) {
        return URI.create("http://127.0.0.1:" + server.getAddress().getPort() + path);
    }

    public void answer(int status, String body) {
        manner = new Manner(status, body);
    }

    /** From now on it accepts requests and does not answer. */
    public void fallSilent() {
        gate = new CountDownLatch(1);
    }

    /** Answers again, also what it has not answered yet. */
    public void answerAgain() {
        gate.countDown();
    }

    public List<Got> got() {
        return List.copyOf(got);
    }

    public List<Got> await(int count) {
        eventually("the inbox has got " + count, () -> got.size() >= count);
        return got();
    }

    @Override
    public void close() {
        answerAgain();
        server.stop(0);
    }
}
