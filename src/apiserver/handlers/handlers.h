// One handler per verb. Each is called with a request that is authenticated and authorized, with kind and version
// known; it answers through respond.h, now or later.
#pragma once

#include "apiserver/call.h"

namespace chandler::apiserver {

void handle_get(const Services& services, const CallPtr& call);
void handle_list(const Services& services, const CallPtr& call);
void handle_watch(const Services& services, const CallPtr& call);
void handle_create(const Services& services, const CallPtr& call);
void handle_update(const Services& services, const CallPtr& call);
void handle_patch(const Services& services, const CallPtr& call);
void handle_apply(const Services& services, const CallPtr& call);  // a patch of its own kind
void handle_delete(const Services& services, const CallPtr& call);
void handle_delete_collection(const Services& services, const CallPtr& call);

// Subresources that are no part of the object.
void handle_scale(const Services& services, const CallPtr& call);  // get, update, patch
void handle_token_request(const Services& services, const CallPtr& call);
// Kinds that are asked and not stored: access reviews, token reviews.
void handle_review(const Services& services, const CallPtr& call);
// What the console asks: usage kinds and the objects that they stand for.
void handle_console(const Services& services, const CallPtr& call);
// Everything that is no resource: health, version, discovery, OpenAPI, metrics, the console.
void handle_path(const Services& services, const CallPtr& call);

}  // namespace chandler::apiserver
