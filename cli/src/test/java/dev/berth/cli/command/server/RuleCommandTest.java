package dev.berth.cli.command.server;

import static org.assertj.core.api.Assertions.assertThat;

import dev.berth.cli.fixture.CliFixture;
import dev.berth.cli.fixture.CliFixture.Result;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import java.nio.file.Path;

class RuleCommandTest {

    private static final String RULES =
            """
            {"file":"config.yaml","values":{},"entries":[
             {"key":"gpu_left","value":1,"usual":1,"source":"usual","kind":"whole",
              "words":null,"least":0,"most":9999,"about":"cards"},
             {"key":"use_all_gpus","value":true,"usual":true,"source":"usual","kind":"flag",
              "words":null,"least":null,"most":null,"about":"all"},
             {"key":"compete_gpus","value":[0,1],"usual":[0],"source":"config.yaml:4",
              "kind":"cards","words":null,"least":null,"most":null,"about":"cards"},
             {"key":"foreign","value":"fit","usual":"yield","source":"in memory","kind":"word",
              "words":["yield","fit"],"least":null,"most":null,"about":"others"},
             {"key":"retry_config.max_retries","value":null,"usual":null,"source":"usual",
              "kind":"whole","words":null,"least":0,"most":10,"about":"retries"},
             {"key":"work_dir","value":"/data","usual":null,"source":"config.yaml:9",
              "kind":"text","words":null,"least":null,"most":null,"about":"where"}]}
            """;

    @TempDir Path root;

    private CliFixture fixture;

    @BeforeEach
    void open() {
        fixture = new CliFixture(root);
        fixture.server().on("GET /api/rule", RULES);
    }

    @AfterEach
    void close() {
        fixture.close();
    }

    @Test
    void withoutAKeyAllAreListedWithTheirSources() {
        assertThat(
                        fixture.run("rule")
                                .out()
                                .lines()
                                .map(line -> line.strip().replaceAll(" +", " ")))
                .containsExactly(
                        "KEY VALUE SOURCE",
                        "gpu_left 1 default",
                        "use_all_gpus true default",
                        "compete_gpus [0,1] config.yaml:4",
                        "foreign fit in memory",
                        "retry_config.max_retries - default",
                        "work_dir /data config.yaml:9");
    }

    @Test
    void oneIsShownByItsNameOrItsLastPart() {
        assertThat(fixture.run("rule", "gpu_left"))
                .isEqualTo(new Result(0, "gpu_left 1 (default)\n", ""));
        assertThat(fixture.run("rule", "max_retries").out())
                .isEqualTo("retry_config.max_retries - (default)\n");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "gpu_left|2|{'gpu_left':2}",
                "gpu_left|two|{'gpu_left':'two'}",
                "gpu_left|007|{'gpu_left':'007'}",
                "gpu_left|none|{'gpu_left':null}",
                "gpu_left|null|{'gpu_left':null}",
                "use_all_gpus|false|{'use_all_gpus':false}",
                "use_all_gpus|perhaps|{'use_all_gpus':'perhaps'}",
                "compete_gpus|0,2|{'compete_gpus':[0,2]}",
                "compete_gpus|[0, 2]|{'compete_gpus':[0,2]}",
                "compete_gpus|[]|{'compete_gpus':[]}",
                "compete_gpus|0,x|{'compete_gpus':[0,'x']}",
                "foreign|yield|{'foreign':'yield'}",
                "max_retries|7|{'retry_config.max_retries':7}",
                "work_dir|../x y|{'work_dir':'../x y'}",
            })
    void aValueIsSentAsWhatTheRuleIs(String key, String value, String body) {
        fixture.server().on("PUT /api/rule", RULES);

        var result = fixture.run("rule", key, value);

        assertThat(result.status()).as(result.err()).isZero();
        assertThat(result.out()).contains(key);
        assertThat(fixture.server().received().getLast().body()).isEqualTo(body.replace('\'', '"'));
    }

    @Test
    void inMemoryNoFileIsMeant() {
        fixture.server().on("PUT /api/rule?persist=false", RULES);

        assertThat(fixture.run("rule", "foreign", "fit", "--memory").out())
                .isEqualTo("foreign fit (in memory)\n");
    }

    @Test
    void jsonIsTheUnchangedReply() {
        fixture.server().on("PUT /api/rule", "{\"entries\":[],\"x\":1}");

        assertThat(fixture.run("rule", "--json").out()).isEqualTo(RULES);
        assertThat(fixture.run("rule", "gpu_left", "2", "--json").out())
                .isEqualTo("{\"entries\":[],\"x\":1}\n");
    }

    @Test
    void whatTheServerRefusesIsReported() {
        fixture.server()
                .on(
                        "PUT /api/rule",
                        fixture.server()
                                .json(
                                        422,
                                        "{\"detail\":\"gpu_left is a whole number.\","
                                            + "\"code\":\"rule.invalid\",\"field\":\"gpu_left\"}"));

        assertThat(fixture.run("rule", "gpu_left", "two"))
                .isEqualTo(new Result(1, "", "berth: gpu_left is a whole number.\n"));
    }

    @Test
    void anUnknownRuleIsNotSent() {
        var result = fixture.run("rule", "gpu_lfet", "2");

        assertThat(result.status()).isEqualTo(1);
        assertThat(result.err()).contains("did you mean 'gpu_left'");
        assertThat(fixture.server().requestLines()).containsExactly("GET /api/rule");
    }

    @ParameterizedTest
    @ValueSource(strings = {"a b c", "a --memory", "--memory"})
    void otherWordsAreNotUnderstood(String words) {
        assertThat(fixture.run(("rule " + words).split(" ")).status()).isEqualTo(2);
    }
}
