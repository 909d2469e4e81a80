package io.verbena.storage.host;

/**
 * What the target says about itself.
 *
 * @param controllerId the number of the association
 * @param serialNumber the serial number of the subsystem
 * @param modelNumber its model
 * @param firmwareRevision its firmware
 * @param limits what commands may be
 */
public record ControllerProfile(
        int controllerId, String serialNumber, String modelNumber, String firmwareRevision, ControllerLimits limits) {
    static final ControllerProfile NONE = new ControllerProfile(0, "", "", "", ControllerLimits.NONE);
}
