package dev.berth.app.live;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.time.Duration;

/** Over HTTP on 127.0.0.1, as a browser or curl comes. */
record TcpDoor(String url) implements Door {

    private static final Duration ANSWERS_WITHIN = Duration.ofSeconds(60);

    /** One for all worlds: each client has threads of its own. */
    private static final HttpClient HTTP =
            HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();

    @Override
    public Answer send(Ask ask) {
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
            return new Answer(response.statusCode(), response.body());
        } catch (IOException e) {
            throw new UncheckedIOException(ask.method() + " " + ask.path(), e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new AssertionError("interrupted during " + ask.path(), e);
        }
    }
}
