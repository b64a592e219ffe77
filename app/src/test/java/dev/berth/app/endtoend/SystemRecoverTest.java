package dev.berth.app.endtoend;

import static dev.berth.testkit.Eventually.eventually;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import java.nio.file.Files;
import java.util.ArrayList;
import java.util.List;

/** The database of a machine's server is lost while tasks of several users run. */
@Tag("slow")
final class SystemRecoverTest {

    private SystemHarness harness;
    private SystemProcesses system;
    private List<TestAccounts.Account> owners;

    @BeforeEach
    void start() throws Exception {
        harness = SystemHarness.start("sim:4x24576", 2);
        system = harness.processes();
        owners = harness.users();
    }

    @AfterEach
    void stop() throws Exception {
        if (harness != null) {
            harness.close();
        }
    }

    private long submit(TestAccounts.Account owner, String command, int gpus) {
        var task =
                TaskBuilder.gpus(gpus, command).with("work_dir", "/").with("owner", owner.name());
        return system.api().submit(task);
    }

    @Test
    void whatLivesIsAdoptedAndNothingRunsTwice() throws Exception {
        var starts = system.sharedFile("starts");
        var go = system.sharedFile("go");
        var ids = new ArrayList<Long>();
        for (var owner : owners) {
            ids.add(
                    submit(
                            owner,
                            "echo $UID >>%s; while [[ ! -s %s ]]; do sleep 0.05; done"
                                    .formatted(starts, go),
                            1));
        }
        eventually("both run", () -> Files.readAllLines(starts).size() == 2);
        long waiting = submit(owners.getFirst(), "echo $UID >>" + starts, 4);
        system.loseDatabase();

        var refused = system.launchServer();
        eventually("it refuses to start", () -> !refused.isAlive());
        assertThat(refused.stderr()).contains("has lost state", "berth recover --system");
        var recovered = system.recover();
        assertThat(recovered.status()).as(recovered.output()).isZero();
        system.launchServer();
        system.server().awaitReady();

        for (int i = 0; i < owners.size(); i++) {
            var task = system.api().task(ids.get(i));
            assertThat(task.path("status").asString()).as(task.toString()).isEqualTo("running");
            assertThat(task.path("owner").asString()).isEqualTo(owners.get(i).name());
        }
        // It had no directory yet: its id was used, and is not used again.
        assertThat(system.api().client().get("/api/tasks/" + waiting).status()).isEqualTo(404);
        system.api().client().post("/api/scheduler/start", "").expect(200);
        Files.writeString(go, "go");
        for (long id : ids) {
            assertThat(system.api().awaitEnd(id).path("status").asString()).isEqualTo("completed");
        }
        assertThat(submit(owners.getFirst(), "true", 1)).isGreaterThan(waiting - 1);
        assertThat(Files.readAllLines(starts))
                .containsExactlyInAnyOrder(
                        Integer.toString(owners.get(0).uid()),
                        Integer.toString(owners.get(1).uid()));
    }

    /** Any user can start a process with any variables. */
    @Test
    void aForgedMarkerKeepsNoServerFromStarting() throws Exception {
        var marker = system.sharedFile("marker");
        long id = submit(owners.get(0), "env | grep ^BERTH >" + marker, 1);
        system.api().awaitEnd(id);
        var variables = Files.readString(marker).replace(id + ".1", "999999.1").strip();
        assertThat(variables).contains("999999.1");
        var command = new ArrayList<>(List.of("/usr/bin/env"));
        command.addAll(variables.lines().toList());
        command.addAll(List.of("/bin/bash", "-c", "sleep 60 >/dev/null 2>&1 </dev/null & echo $!"));
        var forged = UserTestClient.run(owners.get(1).name(), command, "");
        long pid = Long.parseLong(forged.output().strip());
        try {
            system.server().kill();
            system.launchServer();
            system.server().awaitReady();
            assertThat(ProcessHandle.of(pid)).isPresent();
        } finally {
            ProcessHandle.of(pid).ifPresent(ProcessHandle::destroyForcibly);
        }
    }
}
