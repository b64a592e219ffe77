package dev.berth.app;

import dev.berth.cli.call.CallContext;
import dev.berth.cli.client.ApiRequest;
import dev.berth.cli.client.ConnectionFailure;
import dev.berth.cli.client.ServerAddress;
import dev.berth.cli.client.UnixSocketHttpClient;
import dev.berth.jsontext.JsonParser;

import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;

/** Finds the server that answers at a home. */
final class ServerFinder {

    private static final Duration TIMEOUT = Duration.ofSeconds(5);

    private ServerFinder() {}

    /** A server that answers. */
    record RunningServer(long pid, String url) {}

    static Optional<RunningServer> find(Path home, CallContext context) {
        try (var http = new UnixSocketHttpClient()) {
            var reply =
                    http.exchange(
                            new ServerAddress.HomeDirectory(home).socket(),
                            ApiRequest.get("/api/server").withTimeout(TIMEOUT));
            if (JsonParser.parse(reply.body()) instanceof Map<?, ?> info
                    && info.get("pid") instanceof JsonParser.JsonNumber(String pid)
                    && info.get("url") instanceof String url) {
                return Optional.of(new RunningServer(Long.parseLong(pid), url));
            }
            context.printMessage("what answers at " + home + " does not identify itself");
        } catch (ConnectionFailure _) {
            // No server listens.
        } catch (JsonParser.MalformedJson unknown) {
            context.printMessage(
                    "what answers at " + home + " is not Berth: " + unknown.getMessage());
        }
        return Optional.empty();
    }
}
