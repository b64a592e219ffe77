package dev.berth.server.metrics;

import dev.berth.core.card.CardState;
import dev.berth.core.card.Reading;
import dev.berth.engine.State;

import java.util.Map;
import java.util.OptionalDouble;
import java.util.OptionalInt;
import java.util.OptionalLong;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.Function;

/** The cards by their index. What the driver does not say is left out, which is not 0. */
final class CardMetrics {

    private static final double MIB = 1 << 20;

    private final Exposition out;
    private final State state;

    /** A card that is gone may have had the number of one that is there. */
    private final SortedMap<String, CardState> cards = new TreeMap<>();

    CardMetrics(Exposition out, State state) {
        this.out = out;
        this.state = state;
        state.cards()
                .values()
                .forEach(card -> cards.merge(index(card), card, CardMetrics::readable));
    }

    private static String index(CardState card) {
        return Integer.toString(card.card().index());
    }

    private static CardState readable(CardState one, CardState other) {
        return one instanceof CardState.Readable ? one : other;
    }

    void write(LabelCounts tasks) {
        read(
                out.gauge("gpu_memory_used_bytes", "Memory in use on the card."),
                reading -> bytes(reading.usedMib()));
        var total = out.gauge("gpu_memory_total_bytes", "Memory of the card.");
        cards.forEach((gpu, card) -> total.add(card.card().totalMib() * MIB, "gpu", gpu));
        read(
                out.gauge("gpu_utilization_percent", "How busy the card is, from 0 to 100."),
                reading -> number(reading.utilizationPercent()));
        read(
                out.gauge("gpu_temperature_celsius", "How hot the card is."),
                reading -> number(reading.temperatureC()));
        var given = out.counter("gpu_tasks_total", "Tasks that were given the card.");
        cards.keySet().forEach(gpu -> given.add(tasks.of(gpu), "gpu", gpu));
        var up = out.gauge("berth_gpu_up", "1 if the card can be read, 0 if it cannot.");
        cards.forEach(
                (gpu, card) -> up.add(card instanceof CardState.Readable ? 1 : 0, "gpu", gpu));
        faults();
    }

    private void read(Exposition.Family family, Function<Reading, OptionalDouble> value) {
        for (Map.Entry<String, CardState> entry : cards.entrySet()) {
            if (entry.getValue() instanceof CardState.Readable(_, var reading)) {
                value.apply(reading).ifPresent(one -> family.add(one, "gpu", entry.getKey()));
            }
        }
    }

    /** Also of a card whose number another one has now. */
    private void faults() {
        var kinds = new TreeMap<String, SortedSet<String>>();
        for (var fault : state.books().faults().values().toList()) {
            state.cards()
                    .get(fault.card())
                    .map(CardMetrics::index)
                    .map(gpu -> kinds.computeIfAbsent(gpu, _ -> new TreeSet<>()))
                    .ifPresent(there -> there.add(fault.kind().word()));
        }
        var family =
                out.gauge(
                        "berth_gpu_fault",
                        "1 for a card that is out of use, by what was noticed; nothing for"
                                + " others.");
        kinds.forEach((gpu, all) -> all.forEach(kind -> family.add(1, "gpu", gpu, "kind", kind)));
    }

    private static OptionalDouble bytes(OptionalLong mib) {
        return mib.isPresent() ? OptionalDouble.of(mib.getAsLong() * MIB) : OptionalDouble.empty();
    }

    private static OptionalDouble number(OptionalInt value) {
        return value.isPresent() ? OptionalDouble.of(value.getAsInt()) : OptionalDouble.empty();
    }
}
