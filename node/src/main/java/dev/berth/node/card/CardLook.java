package dev.berth.node.card;

import dev.berth.node.process.SearchPath;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

/** One look at the cards as a server would read them, for those who ask whether it could. */
public sealed interface CardLook {

    /** Longer than a slow driver takes. */
    Duration PATIENCE = Duration.ofSeconds(8);

    /**
     * @param probe who was asked
     * @param models of the cards, by index
     */
    record Seen(String probe, List<String> models) implements CardLook {
        public Seen {
            models = List.copyOf(models);
        }
    }

    record Failed(String why) implements CardLook {}

    static CardLook now(CardSettings settings, SearchPath path) {
        var look = new CompletableFuture<CardLook>();
        // A driver may hang for good: then this thread is left behind.
        Thread.ofPlatform()
                .name("card-look")
                .daemon()
                .start(() -> look.complete(ask(settings, path)));
        return look.completeOnTimeout(
                        new Failed("no answer within " + PATIENCE.toSeconds() + " s"),
                        PATIENCE.toSeconds(),
                        TimeUnit.SECONDS)
                .join();
    }

    private static CardLook ask(CardSettings settings, SearchPath path) {
        try (var probe = Probes.open(settings, new Holders(), path)) {
            return new Seen(probe.name(), probe.read().stream().map(CardRow::model).toList());
        } catch (ProbeFailure failure) {
            return new Failed(failure.why());
        } catch (RuntimeException defect) {
            return new Failed("reading them failed: " + defect);
        }
    }
}
