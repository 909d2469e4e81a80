package io.verbena.fabric.topology;

import java.util.List;

/** A topology, its text or its specification is not valid. The message is a sentence; {@link #problems} has all of them. */
public final class TopologyException extends IllegalArgumentException {

    private static final long serialVersionUID = 1L;

    /** Maximum number of problems that are reported. */
    static final int MOST = 20;

    private final List<String> problems;

    TopologyException(String problem) {
        this(List.of(problem));
    }

    TopologyException(List<String> problems) {
        super(
                problems.size() == 1
                        ? problems.getFirst()
                        : problems.getFirst() + " (and " + (problems.size() - 1) + " more)");
        this.problems = List.copyOf(problems);
    }

    /** Sentences, each about one problem; at most 20. */
    public List<String> problems() {
        return problems;
    }
}
