package dev.berth.server.api.people;

import dev.berth.core.plan.OwnerRoom;
import dev.berth.core.plan.Snapshot;
import dev.berth.core.queue.UserWeights;
import dev.berth.core.share.Limit;
import dev.berth.core.share.LimitKey;
import dev.berth.core.share.LimitRules;
import dev.berth.core.share.UserGroups;
import dev.berth.core.task.Owner;
import dev.berth.engine.EngineState;
import dev.berth.server.api.EngineClient;
import dev.berth.wire.PersonInfo;
import dev.berth.wire.PersonInfo.PersonLimit;

import org.jspecify.annotations.Nullable;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;

/** Collects the users and converts them to JSON. */
final class PeopleJson {

    private static final String UNIX = "unix:";

    private final Roles roles;
    private final EngineState state;
    private final Snapshot snapshot;
    private final LimitRules limits;
    private final UserWeights weights;
    private final UserGroups groups;
    private final TreeMap<String, Owner> owners = new TreeMap<>();
    private final TreeMap<String, OwnerRoom> rooms = new TreeMap<>();

    PeopleJson(EngineClient engine, Roles roles) {
        this.roles = roles;
        this.state = engine.state();
        this.snapshot = engine.snapshot();
        var shares = engine.planner().rules().shares();
        this.limits = shares.limits();
        this.weights = shares.weights();
        this.groups = state.durable().groups();
        collect();
        owners.forEach(
                (principal, owner) -> rooms.put(principal, OwnerRoom.of(limits, snapshot, owner)));
    }

    private void collect() {
        snapshot.loads().running().values().forEach(load -> add(load.owner()));
        for (var entry : state.waiting().countsByPrincipal().counts()) {
            add(owner(entry.getKey()));
        }
        for (var entry : state.drafts().counts()) {
            add(owner(entry.getKey()));
        }
        snapshot.loads().ended().keySet().forEach(principal -> add(owner(principal)));
        for (var entry : groups.byPrincipal()) {
            add(owner(entry.getKey()));
        }
        limits.users().keySet().forEach(user -> add(Owner.unix(user)));
        weights.byName().keySet().forEach(user -> add(Owner.unix(user)));
    }

    private static Owner owner(String principal) {
        return principal.startsWith(UNIX)
                ? Owner.unix(principal.substring(UNIX.length()))
                : new Owner(principal, principal);
    }

    private void add(Owner owner) {
        owners.putIfAbsent(owner.principal(), owner);
    }

    List<PersonInfo> all() {
        double total = rooms.values().stream().mapToDouble(OwnerRoom::dayGpuHours).sum();
        var people = new ArrayList<PersonInfo>();
        for (var owner : owners.values()) {
            people.add(person(owner, total));
        }
        return people;
    }

    private PersonInfo person(Owner owner, double total) {
        var room = rooms.getOrDefault(owner.principal(), OwnerRoom.of(limits, snapshot, owner));
        var weight = weights.of(owner);
        double used = room.dayGpuHours();
        return new PersonInfo(
                owner.name(),
                List.copyOf(groups.of(owner)),
                roles.of(owner),
                weight.weight(),
                weight.isVip(),
                weights.ofGroup(shareGroup(owner)),
                share(owner),
                rounded(used, 100),
                total == 0 ? null : rounded(used / total, 1000),
                room.running(),
                room.gpus(),
                queued(owner),
                limits(room.limits()),
                room.isOverBudget());
    }

    private int queued(Owner owner) {
        return state.waiting().countsByPrincipal().count(owner.principal())
                + state.drafts().count(owner.principal());
    }

    private String shareGroup(Owner owner) {
        return weights.shareGroup(groups.of(owner));
    }

    /** The part of the owner's group, times the part of the owner in it. */
    private @Nullable Double share(Owner owner) {
        if (!isActive(owner)) {
            return null;
        }
        var groupWeights = new TreeMap<String, Double>();
        double ofMembers = 0;
        for (var other : owners.values()) {
            if (isActive(other)) {
                var group = shareGroup(other);
                groupWeights.put(group, weights.ofGroup(group));
                ofMembers += group.equals(shareGroup(owner)) ? weights.of(other).weight() : 0;
            }
        }
        double ofGroups = groupWeights.values().stream().mapToDouble(Double::doubleValue).sum();
        double groupPart = weights.ofGroup(shareGroup(owner)) / ofGroups;
        return rounded(groupPart * weights.of(owner).weight() / ofMembers, 1000);
    }

    private boolean isActive(Owner owner) {
        var room = rooms.get(owner.principal());
        return queued(owner) > 0 || (room != null && room.running() > 0);
    }

    private static LinkedHashMap<String, PersonLimit> limits(SortedMap<LimitKey, Limit> limits) {
        var json = new LinkedHashMap<String, PersonLimit>();
        limits.forEach(
                (key, limit) ->
                        json.put(
                                key.configName(),
                                new PersonLimit(value(limit), limit.source().apiName())));
        return json;
    }

    private static Object value(Limit limit) {
        return switch (limit.key()) {
            case MAX_PRIORITY -> limit.priority().name();
            case MAX_GPUS, MAX_RUNNING, MAX_QUEUED -> limit.count();
            case MAX_HOURS, GPU_HOURS_PER_DAY -> limit.value();
        };
    }

    private static double rounded(double value, int parts) {
        return (double) Math.round(value * parts) / parts;
    }
}
