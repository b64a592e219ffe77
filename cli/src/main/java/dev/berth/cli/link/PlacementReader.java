package dev.berth.cli.link;

import dev.berth.wire.Placement;

import org.jspecify.annotations.Nullable;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** What {@link WireReader} does, for where a task would go. */
public final class PlacementReader {

    private PlacementReader() {}

    public static Placement placement(@Nullable Object json) {
        Fields placement = Fields.of(json);
        Fields need = placement.object("need");
        List<Placement.Gpu> gpus = new ArrayList<>();
        for (Fields gpu : placement.objects("gpus")) {
            gpus.add(gpu(gpu));
        }
        return new Placement(
                placement.longNumber("task_id"),
                placement.text("status"),
                placement.text("selector"),
                new Placement.Need(
                        need.number("min_gpu"),
                        need.number("max_gpu"),
                        need.longOrNull("memory_mb"),
                        need.text("memory_from"),
                        need.longNumber("margin_mb"),
                        need.numberOrNull("threshold_percent")),
                placement.isTrue("would_start"),
                WireReader.reasons(placement.objects("reasons")),
                gpus);
    }

    private static Placement.Gpu gpu(Fields gpu) {
        return new Placement.Gpu(
                gpu.number("index"),
                gpu.text("uuid"),
                gpu.text("name"),
                gpu.longNumber("memory_total_mb"),
                gpu.longOrNull("memory_free_mb"),
                gpu.longOrNull("headroom_mb"),
                gpu.isTrue("fits"),
                gpu.isTrue("chosen"),
                WireReader.reasonOrNull(gpu, "refusal"),
                gpu.decimal("score"),
                gpu.decimal("model_affinity_score"),
                gpu.decimal("load_balance_score"),
                scores(gpu.object("scores")));
    }

    private static Map<String, Placement.Score> scores(Fields all) {
        Map<String, Placement.Score> scores = new LinkedHashMap<>();
        for (String selector : all.names()) {
            Fields score = all.object(selector);
            Fields named = score.object("parts");
            Map<String, Double> parts = new LinkedHashMap<>();
            for (String part : named.names()) {
                parts.put(part, named.decimal(part));
            }
            scores.put(selector, new Placement.Score(score.decimal("total"), parts));
        }
        return scores;
    }
}
