package io.verbena.sim.model;

import io.verbena.sim.SimRandom;
import io.verbena.sim.World;
import io.verbena.verbs.Rnic;
import java.net.InetSocketAddress;

/** A program as its objects see it: what they share, and what they report to it. */
interface Program {

    World world();

    SimRandom random();

    Rnic rnic();

    /** Where it listens. */
    InetSocketAddress address();

    /** Memory in a domain that no queue pair belongs to. */
    Zone foreign();

    /** Whether its host has died, or its RNIC is closed. */
    boolean dead();

    long nextReceiveId();

    /** Fails the run. */
    void fail(String sentence);

    /** The program has found work. */
    void busy();

    /** The program closes its RNIC: all that is pending completes before that is done. */
    void closeRnic();
}
