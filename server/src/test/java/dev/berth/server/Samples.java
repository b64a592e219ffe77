package dev.berth.server;

import java.util.Map;
import java.util.TreeMap;

/**
 * What a page of metrics says.
 *
 * @param types of the families, by their names
 * @param values by the name and the labels, as they stand there
 */
record Samples(Map<String, String> types, Map<String, Double> values) {

    static Samples of(Http.Reply reply) {
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
        return new Samples(types, values);
    }

    double value(String sample) {
        var value = values.get(sample);
        if (value == null) {
            throw new AssertionError("no " + sample + " in " + values.keySet());
        }
        return value;
    }

    /** A family's own name, or one of those under which a histogram's parts go. */
    boolean hasFamily(String name) {
        var bare = name.replaceFirst("_(bucket|sum|count)$", "");
        return types.containsKey(name) || "histogram".equals(types.get(bare));
    }
}
