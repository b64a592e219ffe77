package dev.berth.app.doctor;

import dev.berth.cli.call.Command;
import dev.berth.cli.call.Option;
import dev.berth.cli.call.Options;
import dev.berth.cli.call.Surroundings;
import dev.berth.cli.call.Syntax;
import dev.berth.cli.link.Homes;
import dev.berth.cli.link.JsonText;
import dev.berth.cli.text.Clean;
import dev.berth.cli.text.Paint;
import dev.berth.node.process.SearchPath;
import dev.berth.server.config.ConfigRefused;
import dev.berth.server.config.Configuration;
import dev.berth.server.config.Layers;

import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.TreeMap;
import java.util.function.BiFunction;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** Looks at everything that Berth needs, whether a server runs or not. */
public final class Doctor implements Command {

    private static final Option CONFIG =
            Option.valued("--config", "FILE", "the configuration file");

    private final BiFunction<Path, Surroundings, Optional<String>> servers;

    /**
     * @param servers the address of the server at a home, if one runs there
     */
    public Doctor(BiFunction<Path, Surroundings, Optional<String>> servers) {
        this.servers = servers;
    }

    @Override
    public Syntax syntax() {
        return new Syntax(
                "doctor",
                "",
                "Check what Berth needs; exits 1 if something is wrong",
                List.of(CONFIG, Option.JSON));
    }

    @Override
    public int run(Options given, Surroundings around) throws InterruptedException {
        given.expectNoArguments();
        var findings = findings(given, around);
        if (given.has(Option.JSON)) {
            around.out().println(JsonText.of(findings.stream().map(Doctor::fields).toList()));
        } else {
            findings.forEach(finding -> around.out().println(line(finding, around.colours())));
        }
        return findings.stream().anyMatch(one -> one.verdict() == Finding.Verdict.WRONG) ? 1 : 0;
    }

    private List<Finding> findings(Options given, Surroundings around) throws InterruptedException {
        var home = Homes.chosen(given.value(Option.HOME), around);
        var file = Optional.ofNullable(given.value(CONFIG)).map(around.cwd()::resolve);
        Configuration config;
        try {
            config = Configuration.load(new Layers(home, file, around.env(), new TreeMap<>()));
        } catch (ConfigRefused refused) {
            return List.of(
                    Finding.wrong(
                            "config",
                            String.valueOf(refused.getMessage()),
                            "correct that line; nothing else was checked"));
        }
        var own =
                config.warnings().isEmpty()
                        ? Finding.well("config", "in order")
                        : Finding.note("config", String.join("; ", config.warnings()));
        var path =
                Stream.concat(
                                config.running().extraPath().stream().map(Path::toString),
                                Stream.of(around.env().getOrDefault("PATH", "")))
                        .collect(Collectors.joining(":"));
        var checks = new Checks(home, config, new SearchPath(path), servers.apply(home, around));
        return Stream.concat(Stream.of(own), checks.all().stream()).toList();
    }

    private static LinkedHashMap<String, Object> fields(Finding finding) {
        var fields = new LinkedHashMap<String, Object>();
        fields.put("check", finding.what());
        fields.put("status", word(finding.verdict()));
        fields.put("detail", finding.detail());
        fields.put("remedy", finding.remedy());
        return fields;
    }

    private static String line(Finding finding, boolean colours) {
        var paint =
                switch (finding.verdict()) {
                    case WELL -> Paint.GREEN;
                    case NOTE -> Paint.YELLOW;
                    case WRONG -> Paint.RED;
                };
        var word = paint.on(String.format(Locale.ROOT, "%-5s", word(finding.verdict())), colours);
        var remedy = finding.remedy().isEmpty() ? "" : "\n                  → " + finding.remedy();
        return String.format(
                Locale.ROOT,
                "%s %-11s %s%s",
                word,
                finding.what(),
                Clean.line(finding.detail()),
                remedy);
    }

    private static String word(Finding.Verdict verdict) {
        return switch (verdict) {
            case WELL -> "ok";
            case NOTE -> "note";
            case WRONG -> "wrong";
        };
    }
}
