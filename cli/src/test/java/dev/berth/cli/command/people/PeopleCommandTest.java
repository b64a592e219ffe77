package dev.berth.cli.command.people;

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
import java.time.Instant;
import java.time.LocalDateTime;

class PeopleCommandTest {

    private static final String PEOPLE =
            """
            [{"user":"ann","groups":["staff","vision"],"role":null,"weight":2.0,"vip":true,
              "group_weight":2.0,"share":0.4,"used_gpu_hours":41.25,"used_share":0.5,"running":3,
              "running_gpus":6,"queued":4,"over_budget":true,
              "limits":{"max_gpus":{"value":8,"source":"group:vision"},
                        "max_hours":{"value":48.0,"source":"default"}}},
             {"user":"bob","groups":[],"role":null,"weight":1.0,"vip":false,"group_weight":1.0,
              "share":null,"used_gpu_hours":0.0,"used_share":0.0,"running":0,"running_gpus":0,
              "queued":0,"limits":{},"over_budget":false}]
            """;

    private static final String RESERVATION =
            """
            {"id":4,"user":null,"group":"vision","gpu_count":2,"devices":null,
             "from":"2026-01-05T08:00:00.000000Z","seconds":14400,"weekly":true,"zone":"UTC",
             "note":"demo","created_by":"ann","created_at":"2026-01-01T08:00:00.000000Z",
             "active":false,"window_from":"2026-01-12T08:00:00.000000Z",
             "window_to":"2026-01-12T12:00:00.000000Z","kept_gpus":[0,1]}
            """;

    @TempDir private Path root;
    private CliFixture fixture;

    @BeforeEach
    void open() {
        fixture = new CliFixture(root);
    }

    @AfterEach
    void close() {
        fixture.close();
    }

    @Test
    void everyUserHasALine() {
        fixture.server().on("GET /api/people", PEOPLE);
        assertThat(
                        fixture.run("people")
                                .out()
                                .lines()
                                .map(line -> line.strip().replaceAll(" +", " ")))
                .containsExactly(
                        "USER GROUPS WEIGHT SHARE USED GPU-HOURS RUNNING GPUS QUEUED LIMITS",
                        "ann (vip) staff,vision 2.0 40 % 50 % 41.3 3 6 4 max_gpus=8 max_hours=48"
                                + " (over budget)",
                        "bob 1.0 0 % 0.0 0 0 0");
        assertThat(fixture.run("people", "--json").out()).isEqualTo(PEOPLE.strip() + "\n");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "limit ann max_gpus=4|{\"limits.users.ann.max_gpus\":4}",
                "limit @vision max_hours=1.5"
                        + " max_priority=HIGH|{\"limits.groups.vision.max_hours\":1.5,"
                        + "\"limits.groups.vision.max_priority\":\"high\"}",
                "limit default max_queued=none|{\"limits.default.max_queued\":null}",
                "share @vision 2|{\"groups.vision.weight\":2}",
                "share a.b none|{\"users.a.b.weight\":null}",
            })
    void aLimitAndAWeightAreRules(String words, String body) {
        fixture.server().on("PUT /api/rule", "{}");
        assertThat(fixture.run(words.split(" "))).isEqualTo(new Result(0, "changed\n", ""));
        assertThat(fixture.server().received().getLast().body()).isEqualTo(body);
    }

    @ParameterizedTest
    @ValueSource(strings = {"limit ann", "limit ann gpus=3", "limit @ max_gpus=1", "share ann"})
    void aCommandWithoutItsArgumentsIsExplained(String words) {
        assertThat(fixture.run(words.split(" ")).status()).isEqualTo(2);
    }

    @Test
    void aReservationIsSentListedAndRemoved() {
        fixture.server().on("POST /api/reservations", RESERVATION);
        var made =
                fixture.run(
                        "reserve",
                        "--group",
                        "vision",
                        "--gpus",
                        "2",
                        "--from",
                        "2026-01-05T08:00:00Z",
                        "--for",
                        "4h",
                        "--weekly",
                        "--note",
                        "demo");
        assertThat(made).isEqualTo(new Result(0, "reservation 4\n", ""));
        assertThat(fixture.server().received().getLast().body())
                .isEqualTo(
                        "{\"group\":\"vision\",\"gpus\":2,\"from\":\"2026-01-05T08:00:00Z\","
                                + "\"seconds\":14400,\"weekly\":true,\"note\":\"demo\"}");
        fixture.server().on("GET /api/reservations", "[" + RESERVATION + "]");
        assertThat(
                        fixture.run("reservations")
                                .out()
                                .lines()
                                .map(line -> line.strip().replaceAll(" +", " ")))
                .hasSize(2)
                .last()
                .asString()
                .startsWith("4 @vision 2 2026-01-12 ")
                .endsWith(" 4h weekly later 0,1 demo");
        fixture.server().on("DELETE /api/reservations/4", RESERVATION);
        assertThat(fixture.run("unreserve", "4").out()).isEqualTo("removed reservation 4\n");
    }

    @Test
    void aBeginIsReadByTheLocalClock() {
        var clock = fixture.clock();
        var now = clock.now();
        assertThat(ReservationTime.parse(null, clock)).isEqualTo(now.toString());
        assertThat(ReservationTime.parse("+90m", clock))
                .isEqualTo(now.plusSeconds(5400).toString());
        var day = "2030-01-31T22:00";
        var zoned = LocalDateTime.parse(day).atZone(clock.zone()).toInstant().toString();
        assertThat(ReservationTime.parse(day, clock)).isEqualTo(zoned);
        assertThat(ReservationTime.parse("2030-01-31 22:00", clock)).isEqualTo(zoned);
        var next = Instant.parse(ReservationTime.parse("9:00", clock));
        assertThat(next).isAfter(now).isBefore(now.plusSeconds(25 * 3600));
        assertThat(next.atZone(clock.zone()).getHour()).isEqualTo(9);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "reserve --for 4h",
                "reserve --gpus 1",
                "reserve --gpus 0 --for 4h",
                "reserve --gpus 1 --devices 0 --for 4h",
                "reserve --gpus 1 --for 4h --from 25:00",
                "reserve --gpus 1 --for 4h --from tomorrow",
                "unreserve",
                "unreserve all",
            })
    void anUnclearReservationIsRefused(String words) {
        assertThat(fixture.run(words.split(" ")).status()).isEqualTo(2);
    }
}
