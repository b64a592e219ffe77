package dev.berth.server;

import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;

/**
 * At least one call of every route, and the status it must have. The calls of one group depend on
 * each other and are sent in order.
 *
 * @param task a running task
 * @param waiting a queued task
 * @param draft a task that has not been queued
 */
record DescribedCalls(long task, long waiting, long draft) {

    static final String DRAFT = TestServer.body(Map.of("name", "draft", "command", "true"));

    /**
     * One call.
     *
     * @param pattern the path in the description
     * @param path the path that is requested
     */
    record Call(String method, String pattern, String path, String body, int status) {

        Call at(String requested) {
            return new Call(method, pattern, requested, body, status);
        }

        Call with(String content) {
            return new Call(method, pattern, path, content, status);
        }

        /** As in the description: lower-case method, then pattern. */
        String route() {
            return operation() + " " + pattern;
        }

        String operation() {
            return method.toLowerCase(Locale.ROOT);
        }
    }

    /** Calls about one subject. */
    record Group(String subject, List<Call> calls) {
        @Override
        public String toString() {
            return subject;
        }
    }

    /** Creates the tasks that the calls need. */
    static DescribedCalls on(TestServer server) {
        long task = server.submit(TestServer.cpuTask("described"));
        var both = TestServer.body(Map.of("name", "both", "command", "true", "gpu_count", 2));
        server.submit(both);
        long waiting = server.submit(both);
        long draft = server.socket().post("/experiments/", DRAFT).json().get("id").asLong();
        return new DescribedCalls(task, waiting, draft);
    }

    List<Group> groups() {
        return List.of(
                new Group("settings", settings()),
                new Group("command files", commandFiles()),
                new Group("access", access()),
                new Group("events", events()),
                new Group("alerts", alerts()),
                new Group("cleanup", cleanup()),
                new Group("GPUs", gpus()),
                new Group("people", people()),
                new Group("models", models()),
                new Group("server", server()),
                new Group("tasks", tasks()),
                new Group("queue", queue()),
                new Group("scheduler", scheduler()),
                new Group("experiments", experiments()),
                new Group("end of a task", endOfATask()));
    }

    private static List<Call> settings() {
        return List.of(
                get("/api/config", 200),
                get("/api/rule", 200),
                put("/api/rule", 200).with("{\"gpu_left\":2}"),
                get("/api/setting", 200),
                put("/api/setting", 200).with("{\"port\":1}"));
    }

    private static List<Call> commandFiles() {
        var one = "/api/commands/{mode}";
        var single = "/api/commands/single";
        var good = TestServer.body(Map.of("content", "1\necho a\n20\n"));
        var bad = TestServer.body(Map.of("content", "1\necho a\n"));
        var bind =
                new TreeMap<String, Object>(
                        Map.of(
                                "mode",
                                "single",
                                "config_index",
                                0,
                                "queue_id",
                                1,
                                "task_index",
                                0));
        bind.put("log_path", "logs/a.log");
        return List.of(
                get(one, 404).at(single),
                put(one, 200).at(single).with(good),
                put(one, 400).at(single).with(bad),
                put(one, 400).at(single).with("{"),
                put(one, 422).at(single).with("{}"),
                post(one + "/new", 201).at(single + "/new").with(good),
                get(one, 200).at(single),
                get(one + "/list", 200).at(single + "/list"),
                post("/api/log/bind", 200).with(TestServer.body(bind)),
                get(one + "/all", 200).at(single + "/all"),
                get("/api/log/bindings", 200),
                get("/api/log/content", 404)
                        .at("/api/log/content?mode=single&queue_id=1&task_index=0"),
                get("/api/log/read", 403).at("/api/log/read?path=/etc/passwd"),
                delete(one + "/{index}", 200).at(single + "/1"));
    }

    private static List<Call> access() {
        return List.of(
                post("/api/tokens", 201).with("{\"name\":\"a\"}"),
                get("/api/tokens", 200),
                delete("/api/tokens/{id}", 200).at("/api/tokens/1"),
                get("/api/me", 200),
                post("/api/login/links", 201),
                post("/api/login", 401).with("{\"user\":\"ann\",\"password\":\"x\"}"),
                post("/api/login", 422).with("{\"user\":\"ann\"}"),
                post("/api/logout", 409));
    }

    private static List<Call> events() {
        return List.of(
                get("/api/events", 404).at("/api/events?log=999"),
                get("/api/tasks/{id}/logs/stream", 404).at("/api/tasks/999/logs/stream"),
                get("/api/tasks/{id}/logs/raw", 404).at("/api/tasks/999/logs/raw"),
                get("/api/tasks/{id}/logs/search", 422).at("/api/tasks/1/logs/search"),
                get("/api/tasks/{id}/logs/section", 404).at("/api/tasks/999/logs/section"),
                get("/api/events/log", 200),
                get("/api/events/log", 422).at("/api/events/log?limit=x"));
    }

    private static List<Call> alerts() {
        return List.of(
                get("/api/alerts", 200),
                get("/api/audit", 200),
                get("/api/audit", 422).at("/api/audit?kind=x"),
                get("/api/receivers", 200),
                post("/api/receivers/{name}/test", 404).at("/api/receivers/nobody/test"));
    }

    private static List<Call> cleanup() {
        return List.of(
                post("/api/backup", 201),
                get("/api/cleanup", 200),
                post("/api/cleanup", 200),
                post("/api/cleanup", 422).with("{\"x\":1}"));
    }

    private List<Call> gpus() {
        return List.of(
                get("/api/gpus", 200),
                get("/api/nodes", 200),
                post("/api/gpus/{id}/quarantine", 200)
                        .at("/api/gpus/1/quarantine")
                        .with("{\"reason\":\"a fan\"}"),
                post("/api/gpus/{id}/recover", 200)
                        .at("/api/gpus/1/recover")
                        .with("{\"force\":true}"),
                get("/api/gpus/history", 200),
                get("/api/gpus/{id}/history", 200).at("/api/gpus/0/history"),
                get("/api/tasks/{id}/history", 200).at("/api/tasks/" + task + "/history"),
                get("/api/timeline", 200),
                get("/api/usage", 200));
    }

    private static List<Call> people() {
        return List.of(
                get("/api/people", 200),
                patch("/api/people/{user}", 200)
                        .at("/api/people/ann")
                        .with("{\"weight\":2,\"limits\":{\"max_gpus\":1}}"),
                post("/api/reservations", 201)
                        .with(
                                "{\"group\":\"vision\",\"gpus\":1,\"seconds\":60,"
                                        + "\"from\":\"2999-01-01T00:00:00Z\"}"),
                get("/api/reservations", 200),
                delete("/api/reservations/{id}", 200).at("/api/reservations/1"));
    }

    private static List<Call> models() {
        var one = "/api/models/{name}";
        var mace = "/api/models/mace";
        return List.of(
                get("/api/models", 200),
                get(one, 404).at(mace),
                put(one, 422).at(mace).with("{}"),
                put(one, 200).at(mace).with("{\"worker\":\"true\",\"work_dir\":\"/tmp\"}"),
                get(one, 200).at(mace),
                get("/api/models", 200),
                post(one + "/load", 409).at(mace + "/load").with("{\"gpu\":1}"),
                post(one + "/unload", 200).at(mace + "/unload").with("{}"),
                get("/api/workers", 200),
                delete(one, 200).at(mace),
                get("/api/learned", 200),
                delete("/api/learned/{fingerprint}", 404).at("/api/learned/1f"),
                delete("/api/learned", 200));
    }

    private static List<Call> server() {
        return List.of(
                get("/api/health", 200),
                get("/metrics", 422).at("/metrics?x=1"),
                get("/api/openapi.json", 200),
                get("/api/server", 200));
    }

    private List<Call> tasks() {
        return List.of(
                get("/api/tasks", 200).at("/api/tasks?limit=1"),
                get("/api/tasks/{id}", 200).at("/api/tasks/" + task),
                get("/api/tasks/{id}", 404).at("/api/tasks/999"),
                get("/api/tasks/{id}/logs", 200).at("/api/tasks/" + task + "/logs"),
                get("/api/tasks/{id}/wait", 200).at("/api/tasks/" + task + "/wait?seconds=0"),
                post("/api/tasks", 201).with(TestServer.cpuTask("more")),
                post("/api/tasks", 400).with("{"),
                post("/api/tasks", 422).with("{}"),
                post("/api/tasks/{id}/clone", 201).at("/api/tasks/" + task + "/clone"));
    }

    private List<Call> queue() {
        return List.of(
                get("/api/queue", 200),
                get("/api/queue/peek", 200),
                get("/api/queue/position/{id}", 200).at("/api/queue/position/" + waiting),
                get("/api/tasks/{id}/placement", 200).at("/api/tasks/" + waiting + "/placement"),
                get("/api/tasks/{id}/why", 200).at("/api/tasks/" + waiting + "/why"),
                post("/api/tasks/preview", 200).with(TestServer.cpuTask("preview")),
                post("/api/tasks/preview", 422).with("{}"),
                patch("/api/tasks/{id}", 200)
                        .at("/api/tasks/" + waiting)
                        .with("{\"name\":\"other\"}"),
                post("/api/tasks/batch", 201).with("[" + TestServer.cpuTask("b") + "]"));
    }

    private static List<Call> scheduler() {
        return List.of(
                get("/api/scheduler", 200),
                post("/api/scheduler/{mode}/start", 200)
                        .at("/api/scheduler/single/start")
                        .with("{\"content\":\"1\\ntrue\\n1\",\"command_file\":\"/x\"}"),
                get("/api/scheduler/{mode}/state", 200).at("/api/scheduler/single/state"),
                get("/api/scheduler/running", 200),
                get("/api/scheduler/run/{pid}", 200).at("/api/scheduler/run/1"),
                post("/api/scheduler/{mode}/stop", 409).at("/api/scheduler/single/stop"),
                post("/api/scheduler/stop/{pid}", 200).at("/api/scheduler/stop/1"),
                post("/api/scheduler/stop", 200),
                post("/api/scheduler/start", 200));
    }

    private List<Call> experiments() {
        return List.of(
                get("/experiments/queue-status/", 200),
                post("/experiments/", 201).with(DRAFT),
                post("/experiments/{id}/start/", 409)
                        .at("/experiments/" + draft + "/start/")
                        .with("{}"),
                post("/experiments/{id}/queue/", 200).at("/experiments/" + draft + "/queue/"));
    }

    private List<Call> endOfATask() {
        return List.of(
                post("/api/tasks/{id}/cancel", 200).at("/api/tasks/" + task + "/cancel"),
                post("/api/tasks/{id}/resolve", 404)
                        .at("/api/tasks/999999/resolve")
                        .with("{\"as\":\"ended\"}"),
                delete("/api/tasks/{id}", 404).at("/api/tasks/999999"),
                delete("/api/tasks", 200).at("/api/tasks?status=failed&dry_run=true"));
    }

    private static Call get(String pattern, int status) {
        return new Call("GET", pattern, pattern, "", status);
    }

    private static Call put(String pattern, int status) {
        return new Call("PUT", pattern, pattern, "", status);
    }

    private static Call post(String pattern, int status) {
        return new Call("POST", pattern, pattern, "", status);
    }

    private static Call patch(String pattern, int status) {
        return new Call("PATCH", pattern, pattern, "", status);
    }

    private static Call delete(String pattern, int status) {
        return new Call("DELETE", pattern, pattern, "", status);
    }
}
