package io.verbena.messaging;

import java.util.List;

/** A rank has died, so that an operation which may need it cannot end well (ULFM's MPI_ERR_PROC_FAILED). */
public class RankFailedException extends MessagingException {
    private static final long serialVersionUID = 1L;

    private final List<Integer> ranks;

    public RankFailedException(String sentence, List<Integer> ranks) {
        super(sentence);
        this.ranks = List.copyOf(ranks);
    }

    /** The ranks that have died, as far as this rank knows, lowest first. */
    public List<Integer> ranks() {
        return ranks;
    }
}
