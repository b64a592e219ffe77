package dev.berth.app;

import dev.berth.cli.call.CallContext;
import dev.berth.cli.client.ApiRequest;
import dev.berth.cli.client.ConnectionFailure;
import dev.berth.cli.client.ServerAddress;
import dev.berth.cli.client.UnixSocketHttpClient;
import dev.berth.jsontext.JsonParser;

import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Stream;

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

    /** The models of the GPUs that the server of a home reads; empty if it reads none. */
    static List<String> gpuModels(Path home) {
        try (var http = new UnixSocketHttpClient()) {
            var reply =
                    http.exchange(
                            new ServerAddress.HomeDirectory(home).socket(),
                            ApiRequest.get("/api/gpus").withTimeout(TIMEOUT));
            return JsonParser.parse(reply.body()) instanceof List<?> gpus
                    ? gpus.stream().flatMap(ServerFinder::readableModel).toList()
                    : List.of();
        } catch (ConnectionFailure | JsonParser.MalformedJson _) {
            // Without an answer the caller looks for the GPUs itself.
            return List.of();
        }
    }

    private static Stream<String> readableModel(Object gpu) {
        return gpu instanceof Map<?, ?> info
                        && info.get("name") instanceof String model
                        && !Set.of("unknown", "error").contains(String.valueOf(info.get("status")))
                ? Stream.of(model)
                : Stream.empty();
    }
}
