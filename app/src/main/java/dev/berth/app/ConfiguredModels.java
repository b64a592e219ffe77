package dev.berth.app;

import dev.berth.config.Configuration;
import dev.berth.config.Configuration.ModelDefinition;
import dev.berth.core.model.Model;
import dev.berth.core.task.RunAs;
import dev.berth.port.read.Accounts;

import java.io.IOException;
import java.nio.file.Path;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;

/** The models of the configuration. They are for all users. */
final class ConfiguredModels {

    private ConfiguredModels() {}

    /**
     * @param home where workers start unless the configuration names a directory
     * @param accounts of the machine; empty for a personal server, where workers have its user
     * @throws IllegalArgumentException names the key whose account cannot be used
     */
    static SortedMap<String, Model> of(
            Configuration config, Path home, Optional<? extends Accounts> accounts) {
        var models = new TreeMap<String, Model>();
        config.workers()
                .models()
                .forEach((name, model) -> models.put(name, model(name, model, home, accounts)));
        return models;
    }

    private static Model model(
            String name, ModelDefinition model, Path home, Optional<? extends Accounts> accounts) {
        var account = accounts.map(users -> account(name, model.runAs(), users));
        if (accounts.isEmpty() && model.runAs().isPresent()) {
            throw refused(name, "is for the server of a machine (berth serve --system)");
        }
        var directory = account.map(Accounts.Account::home).orElse(home);
        return new Model(
                name,
                model.worker(),
                model.memoryMib(),
                model.isPrewarmed(),
                model.environment(),
                model.workDir().orElse(directory).toString(),
                model.idleTime(),
                account.map(one -> new RunAs(one.name(), one.uid(), Optional.empty()))
                        .map(Model.Access::shared)
                        .orElse(Model.Access.OF_HOME));
    }

    private static Accounts.Account account(
            String model, Optional<String> runAs, Accounts accounts) {
        if (runAs.isEmpty()) {
            throw refused(model, "must name the account that the workers of this model run as");
        }
        try {
            var account = accounts.named(runAs.get());
            if (account.isEmpty()) {
                throw refused(model, "there is no account " + runAs.get());
            }
            if (account.get().uid() == 0) {
                throw refused(model, "workers never run as root");
            }
            return account.get();
        } catch (IOException unreadable) {
            throw refused(model, "the account cannot be looked up: " + unreadable.getMessage());
        }
    }

    private static IllegalArgumentException refused(String model, String why) {
        return new IllegalArgumentException("models." + model + ".run_as: " + why);
    }
}
