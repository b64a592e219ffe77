package dev.berth.server.message;

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

/** A receiver on this machine that keeps what it gets and answers as it is told to. */
public final class Inbox implements AutoCloseable {

    /** What came. */
    public record Got(String method, URI uri, String contentType, String body, long nanos) {
        public JsonNode json() {
            return JsonMapper.shared().readTree(body);
        }
    }

    /** How it answers. */
    public record Manner(int status, String body) {}

    private final HttpServer server;
    private final List<Got> got = new CopyOnWriteArrayList<>();
    private volatile Manner manner = new Manner(200, "{\"code\":0,\"errcode\":0}");
    private volatile CountDownLatch gate = new CountDownLatch(0);

    public Inbox() {
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
        // A length of 0 means chunks to this server, which a receiver may well send.
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

    /** From now on it takes what comes and says nothing. */
    public void fallSilent() {
        gate = new CountDownLatch(1);
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
        gate.countDown();
        server.stop(0);
    }
}
