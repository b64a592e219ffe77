package dev.berth.simulator.result;

import dev.berth.simulator.replay.Predictions;
import dev.berth.simulator.replay.Schedule;
import dev.berth.simulator.replay.ScheduledJob;

import java.math.BigDecimal;
import java.math.RoundingMode;
import java.util.LinkedHashMap;
import java.util.Map;

/** The fields of a result, for JSON. */
public final class ResultJson {

    private static final int DECIMALS = 3;
    private static final int DECIMALS_OF_USE = 5;
    private static final int MEDIAN = 50;
    private static final int P90 = 90;
    private static final int P99 = 99;
    private static final int MAX = 100;

    private ResultJson() {}

    /** All figures, and the hash of the starts. */
    public static Map<String, Object> of(Schedule schedule) {
        var fields = figures(schedule);
        fields.put("starts_sha256", StartsHash.of(schedule.jobs()));
        schedule.predictions().ifPresent(one -> fields.put("predictions", predictions(one)));
        return fields;
    }

    private static Map<String, Object> predictions(Predictions predictions) {
        var fields = new LinkedHashMap<String, Object>();
        fields.put("jobs", predictions.jobs());
        fields.put("within_p50", rounded(predictions.partWithinMedian(), DECIMALS));
        fields.put("within_p90", rounded(predictions.partWithinP90(), DECIMALS));
        return fields;
    }

    /** The start of each job, in the order of the trace. */
    public static void addStarts(Schedule schedule, Map<String, Object> fields) {
        fields.put("starts", schedule.jobs().stream().map(ScheduledJob::startS).toList());
    }

    public static void addClusters(Map<String, Schedule> clusters, Map<String, Object> fields) {
        var byName = new LinkedHashMap<String, Object>();
        clusters.forEach((name, schedule) -> byName.put(name, figures(schedule)));
        fields.put("per_vc", byName);
    }

    private static Map<String, Object> figures(Schedule schedule) {
        var metrics = Metrics.of(schedule);
        var waits = metrics.waits();
        var fields = new LinkedHashMap<String, Object>();
        fields.put("jobs", metrics.jobs());
        fields.put("rejected", metrics.rejected());
        fields.put("gpus", metrics.gpus());
        fields.put("makespan_s", metrics.makespanS());
        fields.put("mean_wait_s", rounded(waits.mean(), DECIMALS));
        fields.put("median_wait_s", waits.percentile(MEDIAN));
        fields.put("p90_wait_s", waits.percentile(P90));
        fields.put("p99_wait_s", waits.percentile(P99));
        fields.put("max_wait_s", waits.percentile(MAX));
        fields.put("queued", waits.queued());
        fields.put("mean_jct_s", rounded(metrics.meanJctS(), DECIMALS));
        fields.put("mean_bsld", rounded(metrics.meanSlowdown(), DECIMALS));
        fields.put("gpu_util", rounded(metrics.gpuUse(), DECIMALS_OF_USE));
        fields.put("gpu_util_window", rounded(metrics.gpuUseInWindow(), DECIMALS_OF_USE));
        return fields;
    }

    private static double rounded(double value, int decimals) {
        return new BigDecimal(value).setScale(decimals, RoundingMode.HALF_EVEN).doubleValue();
    }
}
