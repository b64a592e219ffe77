package dev.berth.app.live;

import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

import java.util.Map;
import java.util.TreeMap;

/** A way to reach a server. */
interface Door {

    JsonMapper JSON = new JsonMapper();

    Answer send(Ask ask);

    default Answer get(String path) {
        return send(new Ask("GET", path, Map.of(), ""));
    }

    default Answer post(String path, String body) {
        return post(path, body, Map.of());
    }

    default Answer post(String path, String body, Map<String, String> headers) {
        var all = new TreeMap<>(headers);
        all.put("Content-Type", "application/json");
        return send(new Ask("POST", path, all, body));
    }

    default Answer put(String path, String body) {
        return send(new Ask("PUT", path, Map.of("Content-Type", "application/json"), body));
    }

    default Answer patch(String path, String body) {
        return send(new Ask("PATCH", path, Map.of("Content-Type", "application/json"), body));
    }

    record Ask(String method, String path, Map<String, String> headers, String body) {}

    /** What came back. */
    record Answer(int status, String body) {

        /** Fails where the body is not JSON. */
        JsonNode json() {
            return JSON.readTree(body);
        }

        /** The body, where the status is this one. */
        JsonNode expect(int wanted) {
            if (status != wanted) {
                throw new AssertionError("expected " + wanted + ", got " + status + " " + body);
            }
            return json();
        }
    }
}
