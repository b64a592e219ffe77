package dev.berth.server.api.metrics;

import dev.berth.testkit.http.TestHttpClient;

import java.util.Map;
import java.util.TreeMap;

/**
 * The samples of a metrics page.
 *
 * @param types of the families, by name
 * @param values by name and labels, as printed
 */
record MetricSamples(Map<String, String> types, Map<String, Double> values) {

    static MetricSamples of(TestHttpClient.Reply reply) {
        if (reply.status() != 200) {
            throw new AssertionError("no metrics: " + reply);
        }
        var types = new TreeMap<String, String>();
        var values = new TreeMap<String, Double>();
        for (var line : reply.text().lines().toList()) {
            int cut = line.lastIndexOf(' ');
            if (line.startsWith("# TYPE ")) {
                types.put(line.substring("# TYPE ".length(), cut), line.substring(cut + 1));
            } else if (!line.startsWith("#")) {
                var value = Double.valueOf(line.substring(cut + 1).replace("Inf", "Infinity"));
                if (values.put(line.substring(0, cut), value) != null) {
                    throw new AssertionError("twice: " + line);
                }
            }
        }
        return new MetricSamples(types, values);
    }

    double value(String sample) {
        var value = values.get(sample);
        if (value == null) {
            throw new AssertionError("no " + sample + " in " + values.keySet());
        }
        return value;
    }

    /** The family's name, or one with the suffix of a histogram's part. */
    boolean hasFamily(String name) {
        var bare = name.replaceFirst("_(bucket|sum|count)$", "");
        return types.containsKey(name) || "histogram".equals(types.get(bare));
    }
}
