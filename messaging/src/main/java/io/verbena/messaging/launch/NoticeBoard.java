package io.verbena.messaging.launch;

import java.io.IOException;
import java.time.Duration;
import java.util.Optional;

/** Where rank 0 of a job leaves a text for the other ranks. */
public interface NoticeBoard {

    /**
     * Every rank calls this once: rank 0 with the text, the others without.
     *
     * @param text printable ASCII without spaces, semicolons and equals signs, at most 500 characters
     * @param within maximum time to wait for the other ranks
     * @return the text of rank 0
     * @throws IOException if the ranks have not met in this time, or the launcher does not answer as it should
     */
    String share(Optional<String> text, Duration within) throws IOException;
}
