package io.verbena.web;

import io.verbena.live.ProcessParts;
import io.verbena.verbs.Figures;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;

/** The figures of the RNICs of this process, as a part of what a {@link WebServer} shows. */
public final class ProcessFigures {

    private ProcessFigures() {}

    /** The figures of this process. */
    public static Figures of(String command, Collection<Figures> rnics) {
        return of(command, rnics, List.of());
    }

    /** The figures of this process: of its RNICs, and of what it does with them, such as a storage target. */
    public static Figures of(String command, Collection<Figures> rnics, Collection<Figures> others) {
        List<Figures> numbered = new ArrayList<>();
        for (Figures rnic : rnics) {
            numbered.add(ProcessParts.numbered(rnic, numbered.size() + 1));
        }
        return ProcessParts.of(command, numbered, others);
    }
}
