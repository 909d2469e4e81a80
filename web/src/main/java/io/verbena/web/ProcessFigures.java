package io.verbena.web;

import io.verbena.verbs.Figures;
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
        Figures.Builder process = Figures.of("process")
                .identity("pid", ProcessHandle.current().pid())
                .text("command", command);
        int number = 0;
        for (Figures rnic : rnics) {
            number++;
            process.part(numbered(rnic, number));
        }
        others.forEach(process::part);
        return process.build();
    }

    private static Figures numbered(Figures rnic, int number) {
        Figures.Builder numbered = Figures.of(rnic.subject()).identity("number", number);
        rnic.texts().forEach(numbered::text);
        rnic.values().forEach(value -> numbered.value(value.figure(), value.attribute(), value.number()));
        rnic.parts().forEach(numbered::part);
        return numbered.build();
    }
}
