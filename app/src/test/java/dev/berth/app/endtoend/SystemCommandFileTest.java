package dev.berth.app.endtoend;

import static dev.berth.testkit.Eventually.eventually;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import java.nio.file.Files;
import java.nio.file.Path;

/** A command file runs with the rights of its owner, and only the owner starts it. */
@Tag("slow")
final class SystemCommandFileTest {

    private SystemHarness harness;
    private SystemProcesses system;
    private TestAccounts.Account ann;
    private TestAccounts.Account bob;

    @BeforeEach
    void start() throws Exception {
        harness = SystemHarness.start("sim:2x24576", 2);
        system = harness.processes();
        ann = harness.user(0);
        bob = harness.user(1);
    }

    @AfterEach
    void stop() throws Exception {
        if (harness != null) {
            harness.close();
        }
    }

    private UserTestClient as(TestAccounts.Account user) {
        return harness.as(user);
    }

    private static String file(Path uids) {
        var content = "1\necho $UID >>" + uids + "\n1\n";
        return TestClient.JSON.createObjectNode().put("content", content).toString();
    }

    /** Attack 12: bob's file would run with the rights of the one who starts it. */
    @Test
    void nobodyStartsTheFileOfAnotherUser() throws Exception {
        var uids = system.sharedFile("uids");
        var path = "/api/commands/single";
        as(bob).put(path, file(uids)).expect(200);
        var root = system.api().client();

        for (var query : new String[] {"", "?user=" + bob.name()}) {
            for (var client : new TestClient[] {as(ann), root}) {
                var reply = client.post("/api/scheduler/single/start" + query, "{}");
                assertThat(reply.status()).as(query + reply.body()).isBetween(400, 499);
            }
        }
        assertThat(as(ann).put(path + "?user=" + bob.name(), file(uids)).status()).isEqualTo(403);
        assertThat(as(ann).get(path + "?user=" + bob.name()).status()).isEqualTo(403);
        assertThat(Files.readString(uids)).isEmpty();

        as(bob).post("/api/scheduler/single/start", "{}").expect(200);
        eventually("bob's task ran", () -> !Files.readString(uids).isEmpty());
        assertThat(Files.readString(uids).strip()).isEqualTo(Integer.toString(bob.uid()));
    }
}
