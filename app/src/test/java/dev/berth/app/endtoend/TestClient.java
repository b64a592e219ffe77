package dev.berth.app.endtoend;

import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

import java.util.Map;
import java.util.TreeMap;

/** A client of a server. */
interface TestClient {

    JsonMapper JSON = new JsonMapper();

    TestReply send(TestRequest ask);

    default TestReply get(String path) {
        return send(new TestRequest("GET", path, Map.of(), ""));
    }

    default TestReply post(String path, String body) {
        return post(path, body, Map.of());
    }

    default TestReply post(String path, String body, Map<String, String> headers) {
        var all = new TreeMap<>(headers);
        all.put("Content-Type", "application/json");
        return send(new TestRequest("POST", path, all, body));
    }

    default TestReply put(String path, String body) {
        return send(new TestRequest("PUT", path, Map.of("Content-Type", "application/json"), body));
    }

    default TestReply patch(String path, String body) {
        return send(
                new TestRequest("PATCH", path, Map.of("Content-Type", "application/json"), body));
    }

    record TestRequest(String method, String path, Map<String, String> headers, String body) {}

    /** A reply. */
    record TestReply(int status, String body) {

        /** Fails if the body is not JSON. */
        JsonNode json() {
            return JSON.readTree(body);
        }

        /** The body, if the status is the expected one. */
        JsonNode expect(int wanted) {
            if (status != wanted) {
                throw new AssertionError("expected " + wanted + ", got " + status + " " + body);
            }
            return json();
        }
    }
}
