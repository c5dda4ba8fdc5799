// Ways into a reducer for other rooms of this package; their names are registered, since two copies of the package may meet.

/** How a stream subscribes to the accepted events of a reducer. */
export const OBSERVE: unique symbol = Symbol.for("streamfold.observe");

/** How a resolver hears of streams that have paused before a patch of a reference, and (undefined) that `restore` has put everything else in their place. */
export const ON_UNRESOLVED: unique symbol = Symbol.for("streamfold.unresolved");
