package io.verbena.fabric.endnode;

/** The service level of packets from one port to another. */
@FunctionalInterface
public interface ServiceLevels {

    /** Routes that any service level may use. */
    ServiceLevels ANY = (sourceLid, destinationLid, wanted) -> wanted;

    /**
     * The service level of a path.
     *
     * @param wanted the one that the sender asks for
     */
    int level(int sourceLid, int destinationLid, int wanted);
}
