package dev.berth.nodeprocess;

import static org.assertj.core.api.Assertions.assertThat;

import dev.berth.core.id.AttemptId;
import dev.berth.core.id.TaskId;
import dev.berth.nodesocket.message.Query;
import dev.berth.nodesocket.message.Reply;

import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

class TraceAnswersTest {

    @TempDir Path tasks;

    @BeforeEach
    void createDirectories() throws IOException {
        Files.createDirectories(tasks.resolve("task_7/attempts/1"));
        Files.createDirectories(tasks.resolve("task_7/attempts/2"));
    }

    @Test
    void theTracesAreThoseOfTheTaskDirectories() throws Exception {
        var answers = new TraceAnswers(tasks);
        assertThat(answers.answer(new Query.ReadTraces()))
                .isInstanceOfSatisfying(
                        Reply.Traces.class,
                        traces -> assertThat(traces.folders()).isEqualTo(List.of(7L)));
        assertThat(answers.answer(new Query.AttemptsOf(new TaskId(7))))
                .isEqualTo(new Reply.Numbers(List.of(1, 2)));
    }

    /** The server read the list of folders from a node that was killed then. */
    @Test
    void aNodeThatWasStartedAgainAnswersTheNextQuestionToo() throws Exception {
        var answers = new TraceAnswers(tasks);
        assertThat(answers.answer(new Query.AttemptsOf(new TaskId(7))))
                .isEqualTo(new Reply.Numbers(List.of(1, 2)));
        var second = new AttemptId(new TaskId(7), 2);
        assertThat(answers.answer(new Query.Close(second))).isEqualTo(new Reply.Truth(true));
        assertThat(new TraceAnswers(tasks).answer(new Query.IsClosed(second)))
                .isEqualTo(new Reply.Truth(true));
    }
}
