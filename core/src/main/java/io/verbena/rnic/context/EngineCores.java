package io.verbena.rnic.context;

import io.verbena.verbs.RnicOptions;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashSet;
import java.util.List;
import java.util.OptionalInt;
import java.util.Set;

/** The cores on which the engines of an RNIC run, and the choice of an engine close to a handler processor. */
public final class EngineCores {

    private final List<Set<Integer>> byEngine = new ArrayList<>();

    /**
     * Reads the setting {@value RnicOptions#ENGINE_CORES}. The sets of cores are assigned to the engines in turn.
     *
     * @throws IllegalArgumentException if the setting is not a list of sets of cores
     */
    public EngineCores(RnicOptions options) {
        String setting = options.settings().getOrDefault(RnicOptions.ENGINE_CORES, "");
        List<Set<Integer>> sets = new ArrayList<>();
        if (!setting.isEmpty()) {
            for (String each : setting.split(";", -1)) {
                sets.add(parsed(each, setting));
            }
        }
        for (int i = 0; i < options.engines(); i++) {
            byEngine.add(sets.isEmpty() ? Set.of() : sets.get(i % sets.size()));
        }
    }

    private static Set<Integer> parsed(String text, String setting) {
        Set<Integer> cores = new HashSet<>();
        try {
            for (String core : text.split(",", -1)) {
                cores.add(Integer.parseUnsignedInt(core.strip()));
            }
        } catch (NumberFormatException e) {
            throw new IllegalArgumentException(
                    "the setting '" + RnicOptions.ENGINE_CORES + "' must be cores like '0,1;2,3', not '" + setting
                            + "'",
                    e);
        }
        return Set.copyOf(cores);
    }

    /** The cores that an engine is bound to; empty if it is not bound. */
    public Set<Integer> of(int engine) {
        return byEngine.get(engine);
    }

    /** Whether any engine is bound to cores. */
    public boolean any() {
        return byEngine.stream().anyMatch(cores -> !cores.isEmpty());
    }

    /**
     * An engine that shares a core with these cores, if there is one.
     *
     * @param turn selects one of several such engines, round-robin
     */
    public OptionalInt beside(Set<Integer> cores, int turn) {
        List<Integer> near = new ArrayList<>();
        for (int i = 0; i < byEngine.size(); i++) {
            if (!Collections.disjoint(byEngine.get(i), cores)) {
                near.add(i);
            }
        }
        return near.isEmpty() ? OptionalInt.empty() : OptionalInt.of(near.get(Math.floorMod(turn, near.size())));
    }
}
