package dev.berth.app.simulate;

import dev.berth.cli.text.SafeText;
import dev.berth.jsontext.JsonWriter;
import dev.berth.simulator.Experiment;
import dev.berth.simulator.result.ResultJson;

import java.util.LinkedHashMap;
import java.util.Map;

/** Outcomes as JSON: the figures of one policy, or by policy if several are compared. */
record OutcomeJson(Experiment experiment, boolean hasStarts) {

    String write(Map<String, Experiment.Outcome> outcomes) {
        var fields = new LinkedHashMap<String, Object>();
        fields.put("placement", experiment.placement().optionName());
        fields.put("partition", experiment.virtualClusters().isEmpty() ? "shared" : "vc");
        if (outcomes.size() == 1) {
            outcomes.forEach(
                    (policy, outcome) -> {
                        fields.put("policy", policy);
                        fields.putAll(fields(outcome));
                    });
        } else {
            var results = new LinkedHashMap<String, Object>();
            outcomes.forEach((policy, outcome) -> results.put(policy, fields(outcome)));
            fields.put("results", results);
        }
        return SafeText.json(JsonWriter.write(fields));
    }

    private Map<String, Object> fields(Experiment.Outcome outcome) {
        var fields = ResultJson.of(outcome.whole());
        if (hasStarts) {
            ResultJson.addStarts(outcome.whole(), fields);
        }
        if (!outcome.byCluster().isEmpty()) {
            ResultJson.addClusters(outcome.byCluster(), fields);
        }
        return fields;
    }
}
