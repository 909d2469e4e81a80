package io.verbena.tools.exchange;

import io.verbena.tools.base.Failure;
import java.io.IOException;

/**
 * One side of a program that exchanges addresses with its peer over TCP.
 *
 * @param <R> the result of a run
 */
public interface ExchangeProgram<R> {

    /**
     * Runs with this peer.
     *
     * @param socket the connection; {@link ExchangeSocket#client} states the role of this side
     */
    R run(ExchangeSocket socket) throws IOException, Failure;
}
