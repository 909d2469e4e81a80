package io.verbena.live;

import io.verbena.verbs.Figures;
import java.util.Collection;

/** The figures of this process, composed of those of its RNICs and of what it does with them. */
public final class ProcessParts {

    private ProcessParts() {}

    /**
     * The figures of this process.
     *
     * @param rnics of RNICs that have numbers
     * @param others of other parts, such as a storage target
     */
    public static Figures of(String command, Collection<Figures> rnics, Collection<Figures> others) {
        Figures.Builder process = Figures.of("process")
                .identity("pid", ProcessHandle.current().pid())
                .text("command", command);
        rnics.forEach(process::part);
        others.forEach(process::part);
        return process.build();
    }

    /** The figures of an RNIC, which does not know that there are others, with its number in this process. */
    public static Figures numbered(Figures rnic, int number) {
        Figures.Builder numbered = Figures.of(rnic.subject()).identity("number", number);
        rnic.texts().forEach(numbered::text);
        rnic.values().forEach(value -> numbered.value(value.figure(), value.attribute(), value.number()));
        rnic.parts().forEach(numbered::part);
        return numbered.build();
    }
}
