package dev.berth.app;

import dev.berth.core.line.ByPriority;
import dev.berth.core.line.FairShare;
import dev.berth.core.line.Fifo;
import dev.berth.core.line.Order;
import dev.berth.core.line.People;
import dev.berth.core.line.ShortestFirst;
import dev.berth.core.plan.ModelCache;
import dev.berth.core.plan.Passing;
import dev.berth.core.plan.Placement;
import dev.berth.server.config.Configuration;

import java.util.List;
import java.util.TreeMap;
import java.util.function.Function;

/** The policies that the configuration names. */
record Policies(Configuration.Scheduling names) {

    Order order() {
        return named(
                List.of(
                        new ByPriority(people()),
                        new FairShare(people()),
                        new Fifo(),
                        new ShortestFirst()),
                Order::word,
                names.order());
    }

    Passing passing() {
        return named(
                List.of(new Passing.Off(), new Passing.Greedy()), Passing::word, names.passing());
    }

    Placement placement(ModelCache models) {
        return named(Placement.all(models), Placement::word, names.selector());
    }

    /** For lanes, unless somebody has chosen one for all. */
    Placement inLanes(ModelCache models) {
        return named(
                Placement.all(models), Placement::word, names.laneSelector().orElse("sampling"));
    }

    private People people() {
        var people = new TreeMap<String, People.Standing>();
        names.weights().forEach((name, weight) -> people.put(name, standing(name, weight)));
        names.vips().forEach(name -> people.computeIfAbsent(name, one -> standing(one, 1)));
        return new People(people);
    }

    private People.Standing standing(String name, double weight) {
        return new People.Standing(weight, names.vips().contains(name));
    }

    /** The configuration takes no word that is not one of these. */
    private static <T> T named(List<T> all, Function<T, String> word, String name) {
        return all.stream()
                .filter(one -> word.apply(one).equals(name))
                .findFirst()
                .orElseThrow(() -> new IllegalStateException("no such policy: " + name));
    }
}
