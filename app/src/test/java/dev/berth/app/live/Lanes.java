package dev.berth.app.live;

import tools.jackson.databind.JsonNode;

import java.util.List;
import java.util.Map;

/** Command files and their runs by what they mean to a test, whichever server is up. */
record Lanes(World world) {

    private static final String HOME = "/api/scheduler/";

    private Door door() {
        return world.socket().door();
    }

    /** Makes this the first file of its mode. */
    Lanes write(String mode, String content) {
        var body = Door.JSON.writeValueAsString(Map.of("content", content));
        door().put("/api/commands/" + mode + "?config_index=0", body).expect(200);
        return this;
    }

    /** Runs that file, and gives the run's number. */
    long start(String mode) {
        return post(mode + "/start?config_index=0").expect(200).path("pid").asLong();
    }

    /** Runs a text that is sent along. */
    long start(String mode, String body) {
        return door().post(HOME + mode + "/start", body).expect(200).path("pid").asLong();
    }

    Door.Answer post(String path) {
        return door().post(HOME + path, "");
    }

    void stop(long pid) {
        post("stop/" + pid).expect(200);
    }

    int delete(String mode, int index) {
        var path = "/api/commands/" + mode + "/" + index;
        return door().send(new Door.Ask("DELETE", path, Map.of(), "")).status();
    }

    String refusal(Door.Answer answer, int status) {
        return answer.expect(status).path("code").asString();
    }

    boolean isLive(long pid) {
        return live().contains(pid);
    }

    /** The numbers of all runs that are not over. */
    List<Long> live() {
        return Api.list(door().get(HOME + "running").expect(200)).stream()
                .map(run -> run.path("pid").asLong())
                .toList();
    }

    /** Of either mode, live or the last of its file. */
    JsonNode run(long pid) {
        for (var mode : new String[] {"single", "multi"}) {
            for (var run : Api.list(door().get(HOME + mode + "/state").expect(200))) {
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
