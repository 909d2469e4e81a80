package io.verbena.messaging;

import io.verbena.messaging.channel.MessagingException;
import java.util.List;

/** An operation failed because a rank that it may depend on has died (MPI_ERR_PROC_FAILED of ULFM). */
public class RankFailedException extends MessagingException {
    private static final long serialVersionUID = 1L;

    private final List<Integer> ranks;

    public RankFailedException(String sentence, List<Integer> ranks) {
        super(sentence);
        this.ranks = List.copyOf(ranks);
    }

    /** The ranks that have died, as far as this rank knows, in ascending order. */
    public List<Integer> ranks() {
        return ranks;
    }
}
