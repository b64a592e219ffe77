package dev.berth.app.endtoend;

import tools.jackson.databind.JsonNode;

import java.util.List;
import java.util.Map;

/** Command files and their runs in terms of a test, on the current server. */
record FileRunApi(ServerHarness harness) {

    private static final String HOME = "/api/scheduler/";

    private TestClient client() {
        return harness.socket().client();
    }

    /** Writes the first file of this mode. */
    FileRunApi write(String mode, String content) {
        var body = TestClient.JSON.writeValueAsString(Map.of("content", content));
        client().put("/api/commands/" + mode + "?config_index=0", body).expect(200);
        return this;
    }

    /** Runs that file and returns the number of the run. */
    long start(String mode) {
        return post(mode + "/start?config_index=0").expect(200).path("pid").asLong();
    }

    /** Runs a text from the request body. */
    long start(String mode, String body) {
        return client().post(HOME + mode + "/start", body).expect(200).path("pid").asLong();
    }

    TestClient.TestReply post(String path) {
        return client().post(HOME + path, "");
    }

    void stop(long pid) {
        post("stop/" + pid).expect(200);
    }

    int delete(String mode, int index) {
        var path = "/api/commands/" + mode + "/" + index;
        return client().send(new TestClient.TestRequest("DELETE", path, Map.of(), "")).status();
    }

    String refusal(TestClient.TestReply answer, int status) {
        return answer.expect(status).path("code").asString();
    }

    boolean isActive(long pid) {
        return activeRuns().contains(pid);
    }

    /** The numbers of all active runs. */
    List<Long> activeRuns() {
        return TestApi.list(client().get(HOME + "running").expect(200)).stream()
                .map(run -> run.path("pid").asLong())
                .toList();
    }

    /** The run of either mode, active or the last one of its file. */
    JsonNode run(long pid) {
        for (var mode : new String[] {"single", "multi"}) {
            for (var run : TestApi.list(client().get(HOME + mode + "/state").expect(200))) {
                if (run.path("pid").asLong() == pid) {
                    return run;
                }
            }
        }
        throw new AssertionError("no run " + pid);
    }

    JsonNode process(long pid, int queue, int index) {
        return run(pid).path("queues").path(Integer.toString(queue)).path("processes").path(index);
    }
}
