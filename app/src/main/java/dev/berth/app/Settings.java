package dev.berth.app;

import dev.berth.core.plan.Estimates;
import dev.berth.core.plan.Foreign;
import dev.berth.core.plan.LaneRules;
import dev.berth.core.plan.ModelCache;
import dev.berth.core.plan.Planner;
import dev.berth.core.plan.Pool;
import dev.berth.core.plan.Rules;
import dev.berth.core.task.Backoff;
import dev.berth.engine.Queueing;
import dev.berth.engine.Tuning;
import dev.berth.node.LocalNode;
import dev.berth.node.card.CardSettings;
import dev.berth.node.card.CardSource;
import dev.berth.node.shim.CommandSettings;
import dev.berth.node.window.Windows;
import dev.berth.server.DoorSettings;
import dev.berth.server.api.TimeLimits;
import dev.berth.server.config.Configuration;
import dev.berth.server.config.Layers;
import dev.berth.server.identity.Auth;
import dev.berth.server.limit.Limits;
import dev.berth.server.message.Messages;

import java.net.URI;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;

/**
 * Everything a server is told when it starts, and what that means to each part of it.
 *
 * @param layers where the configuration came from
 * @param isQuiet log to the file only
 */
record Settings(Layers layers, Configuration config, CardSource cards, boolean isQuiet) {

    /** Where the socket of a home goes whose own path is too long for one. */
    private static final Path SHORT_ROOT = Path.of("/tmp");

    /**
     * @throws IllegalArgumentException that names the key whose value does not go with the others
     */
    Settings {
        try {
            var _ = door(layers.home(), config);
        } catch (IllegalArgumentException wrong) {
            throw new IllegalArgumentException(placed(String.valueOf(wrong.getMessage()), config));
        }
    }

    /** With the place where the key stands that the message begins with. */
    private static String placed(String message, Configuration config) {
        return config.entries().stream()
                .filter(entry -> message.startsWith(entry.key() + ":"))
                .map(entry -> entry.source() + ": " + message)
                .findFirst()
                .orElse(message);
    }

    Home home() {
        return Home.of(layers.home(), config);
    }

    /** The same server with another configuration, if there can be one. */
    Settings with(Configuration other) {
        return new Settings(layers, other, cards, isQuiet);
    }

    DoorSettings door() {
        return door(layers.home(), config);
    }

    private static DoorSettings door(Path home, Configuration config) {
        var door = config.door();
        var usual = Limits.USUAL;
        return new DoorSettings(
                home,
                SHORT_ROOT,
                door.host(),
                door.port(),
                door.takesNextPort(),
                door.knowsNobody() ? Auth.NONE : Auth.TOKEN,
                door.publicUrl().map(Settings::url),
                new HashSet<>(door.corsOrigins()),
                door.isBehindProxy(),
                new Limits(
                        usual.requestsPerSecond(),
                        usual.requestBurst(),
                        usual.streams(),
                        door.queuedPerUser()));
    }

    private static URI url(String text) {
        try {
            return URI.create(text);
        } catch (IllegalArgumentException _) {
            throw new IllegalArgumentException(
                    "public_url: is like https://berth.example.org, not " + text);
        }
    }

    Rules rules() {
        var cards = config.cards();
        var scheduling = config.scheduling();
        var models = scheduling.models();
        return new Rules(
                cards.thresholdPercent(),
                cards.yieldsToOthers() ? Foreign.YIELD : Foreign.FIT,
                new Pool(cards.pool(), cards.reserved()),
                new Estimates(models.memoryMib(), models.marginMib()),
                new ModelCache(models.perCard(), models.life()),
                scheduling.cpuTasks(),
                laneRules());
    }

    private LaneRules laneRules() {
        var lanes = config.lanes();
        var named =
                lanes.usesAllCards()
                        ? Optional.<List<Integer>>empty()
                        : Optional.of(lanes.competeCards());
        return new LaneRules(named, lanes.left(), lanes.isExtreme());
    }

    /** What of the rules can be changed while lanes run. */
    Tuning tuning() {
        var lanes = config.lanes();
        return new Tuning(
                new Backoff(lanes.retriesAtOnce(), lanes.rest()),
                lanes.mostRetries(),
                lanes.assignDelay(),
                lanes.confirmWithin());
    }

    Planner planner() {
        var policies = new Policies(config.scheduling());
        var rules = rules();
        return new Planner(
                rules,
                policies.passing(),
                policies.placement(rules.models()),
                policies.inLanes(rules.models()));
    }

    Queueing queueing() {
        var scheduling = config.scheduling();
        return new Queueing(
                new Policies(scheduling).order(),
                config.door().queuedPerUser(),
                scheduling.longWait(),
                scheduling.poll(),
                tuning());
    }

    Messages.Settings messages() {
        var messages = config.messages();
        return new Messages.Settings(
                messages.receivers(),
                messages.mailbox(),
                messages.language(),
                config.door().publicUrl(),
                home().root().resolve("messages"));
    }

    TimeLimits timeLimits() {
        var scheduling = config.scheduling();
        return new TimeLimits(scheduling.modelTaskSeconds(), scheduling.mostSeconds());
    }

    private CardSettings cardSettings() {
        var given = config.cards();
        var care = given.care();
        return new CardSettings(
                cards,
                given.nvidiaSmi(),
                given.nvml(),
                rules(),
                new CardSettings.Care(care.recovery(), care.test(), care.kernelLog()));
    }

    LocalNode.Settings node() {
        var running = config.running();
        var when =
                switch (running.window()) {
                    case WHERE_IT_CAN -> Windows.When.WHERE_IT_CAN;
                    case ALWAYS -> Windows.When.ALWAYS;
                    case NEVER -> Windows.When.NEVER;
                };
        return new LocalNode.Settings(
                "local",
                home().tasks(),
                cardSettings(),
                running.stopGrace(),
                running.logCapMib(),
                new CommandSettings(running.extraPath(), running.condaInitScript()),
                new Windows.Settings(when, running.tmux()),
                running.stallAfter());
    }
}
