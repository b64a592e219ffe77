package dev.berth.app.live;

import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/**
 * A task to be submitted.
 *
 * @param cards how many; none makes it a cpu task
 * @param more fields as they are sent
 */
record Order(
        String name,
        String command,
        int cards,
        Map<String, String> environment,
        Optional<String> key,
        Map<String, Object> more) {

    static Order cpu(String command) {
        return cards(0, command);
    }

    static Order card(String command) {
        return cards(1, command);
    }

    static Order cards(int cards, String command) {
        return new Order("test", command, cards, Map.of(), Optional.empty(), Map.of());
    }

    Order named(String value) {
        return new Order(value, command, cards, environment, key, more);
    }

    Order env(String variable, String value) {
        var all = new TreeMap<>(environment);
        all.put(variable, value);
        return new Order(name, command, cards, all, key, more);
    }

    Order key(String value) {
        return new Order(name, command, cards, environment, Optional.of(value), more);
    }

    /** A field of the request that has no method of its own here. */
    Order with(String field, Object value) {
        var all = new TreeMap<>(more);
        all.put(field, value);
        return new Order(name, command, cards, environment, key, all);
    }

    String body() {
        var body = Door.JSON.createObjectNode();
        body.put("name", name).put("command", command).put("gpu_count", cards);
        if (cards == 0) {
            body.put("devices", "cpu");
        }
        if (!environment.isEmpty()) {
            environment.forEach(body.putObject("env")::put);
        }
        more.forEach(body::putPOJO);
        return body.toString();
    }

    Map<String, String> headers() {
        return key.map(value -> Map.of("Idempotency-Key", value)).orElse(Map.of());
    }
}
