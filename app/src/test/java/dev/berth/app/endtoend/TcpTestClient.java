package dev.berth.app.endtoend;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.time.Duration;

/** Over HTTP on 127.0.0.1, as a browser or curl does. */
record TcpTestClient(String url) implements TestClient {

    private static final Duration ANSWERS_WITHIN = Duration.ofMinutes(3);

    /** One client for all tests, because each client has its own threads. */
    private static final HttpClient HTTP =
            HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();

    @Override
    public TestReply send(TestRequest ask) {
        var body = ask.body();
        var publisher = body.isEmpty() ? BodyPublishers.noBody() : BodyPublishers.ofString(body);
        var request =
                HttpRequest.newBuilder(URI.create(url + ask.path()))
                        .timeout(ANSWERS_WITHIN)
                        .method(ask.method(), publisher);
        ask.headers().forEach(request::header);
        try {
            var response =
                    HTTP.send(request.build(), BodyHandlers.ofString(StandardCharsets.UTF_8));
            return new TestReply(response.statusCode(), response.body());
        } catch (IOException e) {
            throw new UncheckedIOException(ask.method() + " " + ask.path(), e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new AssertionError("interrupted during " + ask.path(), e);
        }
    }
}
