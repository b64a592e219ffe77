package dev.berth.cli.command.task;

import static org.assertj.core.api.Assertions.assertThat;

import dev.berth.cli.fixture.CliFixture;
import dev.berth.cli.fixture.CliFixture.Result;
import dev.berth.cli.fixture.StubServer;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import java.nio.file.Path;

/** {@code berth submit --dry-run}. */
class SubmitPreviewTest {

    private static final String PREVIEW = "POST /api/tasks/preview";

    @TempDir private Path root;
    private CliFixture fixture;
    private StubServer server;

    @BeforeEach
    void open() {
        fixture = new CliFixture(root);
        server = fixture.server();
    }

    @AfterEach
    void close() {
        fixture.close();
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '`',
            value = {
                "\"starts_now\":true,\"gpus\":[2] | would start now on GPU 2",
                "\"starts_now\":true,\"gpus\":[] | would start now",
                "\"starts_now\":true,\"gpus\":[0],\"predicted_seconds\":840,\"predicted_from\":14"
                        + " | would start now on GPU 0; tasks like it ran 14m (median of 14)",
                "\"starts_now\":false,\"gpus\":[],\"position\":0 | would wait",
                "\"starts_now\":false,\"gpus\":[],\"position\":3 | would wait, 3 tasks ahead",
                "\"starts_now\":false,\"position\":1,\"eta\":\"2025-11-15T06:14:00Z\""
                        + " | would start in about 14m, 1 task ahead",
            })
    void oneLineSaysWhenAndWhere(String fields, String line) {
        server.on(PREVIEW, "{" + fields + "}");
        assertThat(fixture.run("submit", "--dry-run", "--", "true"))
                .isEqualTo(new Result(0, line + "\n", ""));
        assertThat(server.received()).hasSize(1);
    }

    @Test
    void theMemoryThatIsEnoughIsNamed() {
        server.on(PREVIEW, "{\"starts_now\":true,\"gpus\":[0],\"suggested_memory_mb\":12288}");
        assertThat(fixture.run("submit", "--dry-run", "--", "true").out())
                .isEqualTo(
                        "would start now on GPU 0\n"
                                + "  by earlier runs, --memory 12288M is enough\n");
    }

    @Test
    void theReasonsOfAWaitFollow() {
        fixture.env().put("COLUMNS", "40");
        server.on(
                PREVIEW,
                """
                {"starts_now":false,"position":0,"reasons":[
                {"detail":"Needs 2 GPUs; free for it now: 1.","code":"cards.short","parts":[
                {"detail":"GPU 0 is held by task 3, which is very long.","code":"card.held"}]}]}
                """);
        assertThat(fixture.run("submit", "--dry-run", "-g", "2", "--", "true").out())
                .isEqualTo(
                        """
                        would wait
                          Needs 2 GPUs; free for it now: 1.
                            GPU 0 is held by task 3, which is
                            very long.
                        """);
    }

    @Test
    void jsonIsTheUnchangedReply() {
        server.on(PREVIEW, "{\"starts_now\":true}");
        assertThat(fixture.run("submit", "--dry-run", "--json", "--", "true").out())
                .isEqualTo("{\"starts_now\":true}\n");
    }

    @Test
    void aRefusalIsReported() {
        server.on(PREVIEW, server.json(422, "{\"detail\":\"No such GPU.\"}"));
        assertThat(fixture.run("submit", "--dry-run", "--", "true"))
                .isEqualTo(new Result(1, "", "berth: No such GPU.\n"));
    }

    @Test
    void nothingCanBeWaitedFor() {
        assertThat(fixture.run("submit", "--dry-run", "--wait", "--", "true").status())
                .isEqualTo(2);
        assertThat(server.received()).isEmpty();
    }
}
