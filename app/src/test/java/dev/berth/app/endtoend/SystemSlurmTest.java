package dev.berth.app.endtoend;

import static dev.berth.testkit.Eventually.eventually;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;

/**
 * Tasks of several users on a real Slurm cluster, each as its owner. Slurm shows the jobs of a user
 * to nobody else; {@link SystemSlurmCrashTest} runs on a cluster that shows them to all.
 */
@Tag("slow")
final class SystemSlurmTest {

    private static final Duration WITHIN = Duration.ofMinutes(3);

    private static SystemSlurmHarness slurm;
    private static TestAccounts.Account ann;
    private static TestAccounts.Account bob;
    private static TestAccounts.Account denied;

    @BeforeAll
    static void start() throws Exception {
        slurm = SystemSlurmHarness.start(3, 1, Map.of("CLUSTER_CONF", "PrivateData=jobs"));
        ann = slurm.machine().user(0);
        bob = slurm.machine().user(1);
        denied = slurm.machine().user(2);
        // Before its first task: the node remembers the groups of an account for a while.
        slurm.machine().join(ann, "users");
    }

    @AfterAll
    static void stop() throws Exception {
        if (slurm != null) {
            slurm.close();
        }
    }

    private TestApi as(TestAccounts.Account user) {
        return slurm.machine().as(user).api();
    }

    private long submit(TestAccounts.Account user, TaskBuilder task) {
        return as(user).submit(task.with("work_dir", "/"));
    }

    private static UserTestClient.Outcome run(TestAccounts.Account user, String... program) {
        return UserTestClient.run(user.name(), List.of(program), "");
    }

    @Test
    void aTaskHasItsOwnersUserAndGroupsAndNobodyElseReadsItsLog() throws Exception {
        var ids = "id -u; id -g; id -G; exit 5";
        for (var owner : List.of(ann, bob)) {
            var other = owner.equals(ann) ? bob : ann;
            long id = submit(owner, TaskBuilder.oneGpu(ids).env("LD_PRELOAD", "/no/such.so"));
            var task = as(owner).awaitEnd(id);
            assertThat(task.path("exit_code").asInt()).as("%s", task).isEqualTo(5);
            var expected = run(owner, "/bin/bash", "-c", "id -u; id -g; id -G").output();
            assertThat(as(owner).log(id, 100)).containsAll(expected.lines().toList());

            var log = slurm.attempt(id).resolve("tmux.log").toString();
            assertThat(run(owner, "/bin/cat", log).output()).contains(expected.lines().toList());
            assertThat(run(other, "/bin/cat", log).status()).isNotZero();
            assertThat(slurm.machine().as(other).get("/api/tasks/" + id + "/logs").status())
                    .isEqualTo(403);
        }
        assertThat(Files.readString(slurm.system().journal()))
                .contains("uid=" + ann.uid(), "uid=" + bob.uid())
                .doesNotContain("uid=0 ");
    }

    @Test
    void onlyItsOwnerCancelsATask() throws Exception {
        long id = submit(ann, TaskBuilder.oneGpu("sleep 600"));
        as(ann).awaitPhase(id, "running");
        var job = slurm.cluster().command("squeue", "-h", "-u", ann.name(), "-o", "%i").strip();

        assertThat(slurm.machine().as(bob).post("/api/tasks/" + id + "/cancel", "{}").status())
                .isEqualTo(403);
        var direct = run(bob, "/usr/bin/env", conf(), "scancel", "--verbose", job);
        assertThat(direct.output()).containsIgnoringCase("access/permission denied");
        assertThat(as(ann).phase(id)).isEqualTo("running");

        as(ann).cancel(id);
        assertThat(as(ann).awaitEnd(id).path("status").asString()).isEqualTo("cancelled");
        eventually(
                WITHIN, "its job is over", () -> slurm.cluster().command("squeue", "-h").isBlank());
    }

    private String conf() {
        return "SLURM_CONF=" + slurm.cluster().environment().get("SLURM_CONF");
    }

    @Test
    void nothingIsHandedOverForAnAccountThatTheNodeRefuses() throws Exception {
        var refused = as(denied).awaitEnd(submit(denied, TaskBuilder.cpu("true")));
        assertThat(refused.path("status").asString()).isEqualTo("failed");
        assertThat(refused.path("error").asString())
                .contains(denied.name())
                .doesNotContain("Slurm");
        var root =
                slurm.system()
                        .api()
                        .client()
                        .post(
                                "/api/tasks",
                                TaskBuilder.cpu("true")
                                        .with("work_dir", "/")
                                        .with("owner", "root")
                                        .body());
        assertThat(root.status()).as(root.body()).isEqualTo(422);
        assertThat(slurm.cluster().command("squeue", "-h", "-t", "all", "-u", denied.name()))
                .isBlank();
        assertThat(Files.readString(slurm.system().journal())).contains("refused attempt=");
    }

    @Test
    void aJobThatSlurmHidesFromTheServerIsNotTakenForAForgottenOne() throws Exception {
        var gate = slurm.system().sharedFile("gate-of-all");
        var hold = "until [[ -s %s ]]; do sleep 0.1; done".formatted(gate);
        for (int i = 0; i < 4; i++) {
            as(ann).awaitPhase(submit(ann, TaskBuilder.gpus(4, hold)), "running");
        }
        long waiting = submit(bob, TaskBuilder.oneGpu("exit 7"));
        eventually(
                WITHIN,
                "Slurm's reason",
                () -> as(bob).waitReasonCodes(waiting).contains("cluster.resources"));
        Files.writeString(gate, "go");
        var task = as(bob).awaitEnd(waiting);
        assertThat(task.path("exit_code").asInt()).as("%s", task).isEqualTo(7);
        assertThat(task.path("attempts").size()).isEqualTo(1);
    }

    @Test
    void doctorTriesJobsOfAUserAndSaysWhenItCannot() {
        var found = slurm.system().doctor(ann.name());
        assertThat(found.output())
                .contains("node        starts tasks of accounts from uid 1000 without ")
                .contains("PrivateData=jobs: root's half lists the jobs of each user")
                .contains("n1: there and back in")
                .contains("n4: there and back in", "user " + ann.uid() + ", groups ")
                .contains("4 node(s) created one file at once, 50 times: exactly one succeeded");
        assertThat(slurm.shared().toFile().list()).as("what is left").containsExactly("tasks");

        var refused = slurm.system().doctor(denied.name());
        assertThat(refused.status()).isEqualTo(1);
        assertThat(refused.output())
                .contains("wrong account     ", denied.name())
                .doesNotContain("there and back");
    }

    /** The directory of an attempt is writable for its owner, and so are the marks of GPUs. */
    @Test
    void whatAnOwnerPutsInTheWayHarmsNoOther() throws Exception {
        var home = slurm.system().home();
        var gate = slurm.system().sharedFile("gate");
        long hostile =
                submit(
                        ann,
                        TaskBuilder.oneGpu(
                                """
                                cd "${LOG_FILE%%/*}"
                                rm -f run.sh tmux.log exit_code.pending
                                ln -s %1$s/runtime/tasks.db examine.sh
                                ln -s %1$s/runtime/tasks.db out_of_memory
                                mkdir sub && ln -s %1$s sub/home
                                cd ../../../.gpus
                                for n in n1 n2 n3 n4; do for g in 0 1 2 3; do
                                  echo "${BERTH_ATTEMPT##*/}" >$n.$g; done; done 2>/dev/null
                                mkfifo pipe; ln -s %1$s/runtime/tasks.db link; mkdir directory
                                until [[ -s %2$s ]]; do sleep 0.1; done
                                """
                                        .formatted(home, gate)));
        as(ann).awaitPhase(hostile, "running");
        eventually(WITHIN, "the marks", () -> Files.exists(marks().resolve("n4.3")));
        long other = submit(bob, TaskBuilder.gpus(4, "true"));
        assertThat(as(bob).awaitEnd(other).path("status").asString()).isEqualTo("completed");
        assertThat(slurm.attempt(hostile).resolve("run.sh")).exists();
        assertThat(slurm.attempt(hostile).resolve("tmux.log")).exists();

        Files.writeString(gate, "go");
        assertThat(as(ann).awaitEnd(hostile).path("status").asString()).isEqualTo("completed");
        slurm.machine()
                .as(ann)
                .send(new TestClient.TestRequest("DELETE", "/api/tasks/" + hostile, Map.of(), ""));
        eventually(WITHIN, "it is removed", () -> !Files.exists(slurm.attempt(hostile)));
        assertThat(home.resolve("runtime/tasks.db")).exists();
        assertThat(
                        as(bob).awaitEnd(submit(bob, TaskBuilder.oneGpu("exit 4")))
                                .path("exit_code")
                                .asInt())
                .isEqualTo(4);
    }

    @Test
    void tasksAreFoundAgainAfterTheDatabaseWasLost() throws Exception {
        var system = slurm.system();
        var starts = system.sharedFile("starts");
        var gate = system.sharedFile("gate-of-recovered");
        long id =
                submit(
                        ann,
                        TaskBuilder.oneGpu(
                                "echo $UID >>%s; until [[ -s %s ]]; do sleep 0.1; done; exit 6"
                                        .formatted(starts, gate)));
        as(ann).awaitPhase(id, "running");
        system.loseDatabase();
        var recovered = system.recover();
        assertThat(recovered.status()).as(recovered.output()).isZero();
        system.launchServer();
        system.server().awaitReady();
        system.api().client().post("/api/scheduler/start", "").expect(200);

        assertThat(as(ann).task(id).path("owner").asString()).isEqualTo(ann.name());
        Files.writeString(gate, "go");
        var task = as(ann).awaitEnd(id);
        assertThat(task.path("exit_code").asInt()).as("%s", task).isEqualTo(6);
        assertThat(Files.readAllLines(starts)).containsExactly(Integer.toString(ann.uid()));
    }

    private Path marks() {
        return slurm.shared().resolve("tasks/.gpus");
    }
}
