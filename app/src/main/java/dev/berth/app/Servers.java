package dev.berth.app;

import dev.berth.cli.call.Surroundings;
import dev.berth.cli.link.HttpOverSocket;
import dev.berth.cli.link.Json;
import dev.berth.cli.link.LinkFailure;
import dev.berth.cli.link.Place;
import dev.berth.cli.link.Request;

import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;

/** Which server answers at a home. */
final class Servers {

    private static final Duration PATIENCE = Duration.ofSeconds(5);

    private Servers() {}

    /** A server that answers. */
    record Running(long pid, String url) {}

    static Optional<Running> at(Path home, Surroundings around) {
        try (var http = new HttpOverSocket()) {
            var reply =
                    http.exchange(
                            new Place.Home(home).socket(),
                            Request.get("/api/server").within(PATIENCE));
            if (Json.read(reply.body()) instanceof Map<?, ?> info
                    && info.get("pid") instanceof Json.Numeral(String pid)
                    && info.get("url") instanceof String url) {
                return Optional.of(new Running(Long.parseLong(pid), url));
            }
            around.note("what answers at " + home + " does not say who it is");
        } catch (LinkFailure _) {
            // Nobody is there.
        } catch (Json.Malformed unknown) {
            around.note("what answers at " + home + " is not Berth: " + unknown.getMessage());
        }
        return Optional.empty();
    }
}
