package dev.berth.app;

import static org.assertj.core.api.Assertions.assertThat;

import dev.berth.cli.Cli;
import dev.berth.cli.call.CallContext;
import dev.berth.cli.call.CliClock;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

class ParseCommandTest {

    @TempDir Path directory;

    private record Said(int status, String out, String err) {}

    @Test
    void everyTaskIsALine() throws IOException {
        file("command_gpu.txt", "1\npython a.py\nbash b.sh\n20\n\nc\n3 , 0.5\n");

        var said = parse("command_gpu.txt");

        assertThat(said.out())
                .isEqualTo("queue 1  20 GB  1 GPU  python a.py …\nqueue 3  0.5 GB  1 GPU  c\n");
        assertThat(said.err()).isEmpty();
        assertThat(said.status()).isZero();
    }

    @Test
    void theNameOrTheOptionSaysTheMode() throws IOException {
        file("command_gpus_2.txt", "1\na\n2\n20\n\n1\nb\n2-4\n20\n");
        file("other.txt", "1\na\n2\n20\n");

        assertThat(parse("command_gpus_2.txt").out())
                .isEqualTo("queue 1  20 GB  2 GPUs  a\nqueue 1  20 GB  2-4 GPUs  b\n");
        assertThat(parse("other.txt").status()).isEqualTo(1);
        assertThat(parse("other.txt", "--mode", "multi").status()).isZero();
        assertThat(parse("command_gpus_2.txt", "--mode=single").status()).isEqualTo(1);
        assertThat(parse("other.txt", "--mode", "many").status()).isEqualTo(2);
    }

    @Test
    void aBadBlockIsReportedWithItsLineBesideTheGoodOnes() throws IOException {
        file("command.txt", "1\na\n20\n\n\n\none\nb\n20\n");

        var said = parse("command.txt");

        assertThat(said.out()).isEqualTo("queue 1  20 GB  1 GPU  a\n");
        assertThat(said.err()).startsWith("command.txt:7: The queue id must be a whole number");
        assertThat(said.err().lines()).hasSize(1);
        assertThat(said.status()).isEqualTo(1);
    }

    @Test
    void programsGetJson() throws IOException {
        file("command.txt", "1\na \"b\"\n20.5\n\nx\n");

        var said = parse("--json", "command.txt");

        assertThat(said.out())
                .startsWith(
                        "{\"file\":\"command.txt\",\"mode\":\"single\",\"tasks\":[{\"line\":1,"
                                + "\"queue_id\":1,\"commands\":[\"a \\\"b\\\"\"],"
                                + "\"memory_gb\":20.5,\"gpu_count\":1,\"max_gpu\":1}],"
                                + "\"problems\":[{\"line\":5,\"code\":\"command.one_line\",");
        assertThat(said.status()).isEqualTo(1);
    }

    @Test
    void whatIsNoCommandFileIsRefusedInPlainWords() throws IOException {
        file("empty.txt", "");
        file("notes.txt", "# only\n\n# comments\n");
        Files.createDirectory(directory.resolve("sub"));
        try (var large = Files.newOutputStream(directory.resolve("large.txt"))) {
            large.write("#".repeat((10 << 20) + 1).getBytes(StandardCharsets.UTF_8));
        }

        assertThat(parse("none.txt"))
                .isEqualTo(new Said(1, "", "berth: there is no file none.txt\n"));
        assertThat(parse("empty.txt")).isEqualTo(new Said(1, "", "berth: empty.txt is empty\n"));
        assertThat(parse("notes.txt"))
                .isEqualTo(new Said(1, "", "notes.txt: no task is in this file\n"));
        assertThat(parse("sub").err()).isEqualTo("berth: sub is no plain file\n");
        assertThat(parse("large.txt").err()).contains("larger than 10 MB");
        assertThat(parse("large.txt").status()).isEqualTo(1);
        assertThat(parse().status()).isEqualTo(2);
        assertThat(parse("a", "b").status()).isEqualTo(2);
    }

    @Test
    void nothingInTheFileReachesTheTerminalAsItIs() throws IOException {
        file("odd.txt", "1\necho \u202Eb\n20\n\n\u202Ex\ny\n20\n");
        var said = parse("odd.txt");
        assertThat(said.out()).isEqualTo("queue 1  20 GB  1 GPU  echo \\u202eb\n");
        assertThat(said.err()).contains("\\u202ex").doesNotContain("\u202E");
    }

    private void file(String name, String text) throws IOException {
        Files.writeString(directory.resolve(name), text);
    }

    private Said parse(String... words) {
        var out = new ByteArrayOutputStream();
        var err = new ByteArrayOutputStream();
        var context =
                new CallContext(
                        InputStream.nullInputStream(),
                        new PrintStream(out, true, StandardCharsets.UTF_8),
                        new PrintStream(err, true, StandardCharsets.UTF_8),
                        Map.of("HOME", directory.toString()),
                        directory,
                        false,
                        () -> 0,
                        CliClock.SYSTEM);
        int status =
                new Cli(List.of(new ParseCommand()))
                        .run(
                                Stream.concat(Stream.of("parse"), Stream.of(words))
                                        .toArray(String[]::new),
                                context);
        return new Said(
                status, out.toString(StandardCharsets.UTF_8), err.toString(StandardCharsets.UTF_8));
    }
}
