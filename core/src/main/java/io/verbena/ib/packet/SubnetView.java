package io.verbena.ib.packet;

/**
 * What a port knows about the subnet that it belongs to: the answers of the subnet administrator about its own addresses and those
 * of other ports. Called for each packet.
 */
public interface SubnetView {

    /** The value of a LID that does not exist. */
    int NO_LID = 0;

    /**
     * The LID that packets to a GID are sent to: that of its port, or of a router if the GID belongs to another subnet.
     *
     * @return {@link #NO_LID} if no port with this GID is known; a packet to it is sent to this LID and lost
     */
    int lid(long gidHigh, long gidLow);

    /** The LID of the own port by which packets to a LID leave. */
    int sourceLid(int destinationLid);

    /** Whether a LID belongs to one of the own ports. */
    boolean owns(int lid);

    /** Whether two LIDs of this subnet belong to ports of one adapter. */
    default boolean sameAdapter(int lid, int other) {
        return lid == other && lid != NO_LID;
    }

    /** Second half of the GID of a LID of this subnet, whose first half is {@link #prefix}; 0 if it is unknown. */
    long interfaceId(int lid);

    /** First half of all GIDs of this subnet. */
    long prefix();

    /**
     * The service level of packets to a LID.
     *
     * @param wanted the one that the path asks for, which the routes of the subnet may not allow
     */
    int level(int destinationLid, int wanted);

    /**
     * The LID that a packet with a PSN of a reliable connection is sent to instead of the one of its path: one message can be striped over
     * several paths and ports.
     */
    default int stripe(int destinationLid, int psn) {
        return destinationLid;
    }

    /**
     * The LID that packets of a connection with several paths are sent to instead of the one of its first path.
     *
     * @param path number of the path, from 1 on
     */
    default int spray(int destinationLid, int path) {
        return destinationLid;
    }

    /** The LID that an answer to a request is sent to instead of the one of its path: answers can take another path than requests. */
    default int answer(int destinationLid) {
        return destinationLid;
    }

    /** The virtual lane on which packets of a service level leave. */
    int lane(int serviceLevel);
}
