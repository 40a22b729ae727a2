//! The contract of the storage traits, as plain functions over a [`Store`](crate::Store).
//!
//! An implementation runs all of it on each of its databases with [`contract!`](crate::contract):
//!
//! ```text
//! mod sqlite {
//!     chorus_store::contract!(super::open_sqlite().await);
//! }
//! mod postgres {
//!     chorus_store::contract!(super::open_postgres().await);
//! }
//! ```
//!
//! Every function gets a fresh, migrated, empty database, and panics where the contract is broken. Their names are
//! their documentation: each is a sentence that holds for every implementation.
#![expect(
    missing_docs,
    clippy::unwrap_used,
    clippy::indexing_slicing,
    clippy::panic,
    reason = "tests, which another crate runs; the names of the functions are sentences"
)]

pub mod account;
pub mod activity;
pub mod check;
pub mod comment;
pub mod constraint;
pub mod document;
pub mod elaboration;
pub mod group;
pub mod idea;
pub mod idempotency;
pub mod identity;
pub mod leaving;
pub mod limits;
pub mod mention;
pub mod notification;
pub mod overview;
pub mod paging;
pub mod project;
pub mod proposal;
pub mod race;
pub mod reference;
pub mod roster;
pub mod scope;
pub mod search;
pub mod session;
pub mod task;
pub mod tracker;
pub mod unit;
pub mod waiting;
mod world;

pub use world::Shared;

/// Every function of the suite, in the order of [`contract!`](crate::contract). An implementation compares with it what
/// it has run on each database, so that nothing runs on one of them only.
pub const NAMES: &[&str] = crate::contract_list!(() crate::contract_names);

/// Makes a test of each function of the [contract](crate::testing), in the module where it stands.
///
/// The argument is an expression of type `(guard, Arc<dyn Store>)`, evaluated in an async function of each test: a store
/// on a fresh, migrated, empty database, and whatever has to live as long. The crate needs `tokio` with `macros` and
/// `rt-multi-thread`.
#[macro_export]
macro_rules! contract {
    ($open:expr) => {
        $crate::contract_list! { ($open) $crate::contract_tests }
    };
}

#[doc(hidden)]
#[macro_export]
macro_rules! contract_tests {
    (($open:expr) $($family:ident { $($name:ident)* })*) => { $($(
        #[::tokio::test(flavor = "multi_thread")]
        async fn $name() {
            let (guard, store): (_, $crate::testing::Shared) = $open;
            $crate::testing::$family::$name(&store).await;
            drop(store);
            drop(guard);
        }
    )*)* };
}

#[doc(hidden)]
#[macro_export]
macro_rules! contract_names {
    (() $($family:ident { $($name:ident)* })*) => { &[$($(stringify!($name),)*)*] };
}

/// The one list of what there is; hands it to another macro.
#[doc(hidden)]
#[macro_export]
macro_rules! contract_list {
    ($arguments:tt $($then:tt)+) => {
        $($then)+! {
            $arguments
            account {
                a_session_is_found_by_its_hash_with_its_person_and_the_first_user
                a_persons_sessions_are_listed_the_last_used_first
                one_session_ends_or_all_but_one_or_all
                sessions_that_are_over_are_forgotten
                everybody_of_an_address_is_found_without_case_whatever_the_company
                a_link_is_found_by_its_hash_with_whom_it_lets_in
                one_of_eight_simultaneous_uses_of_a_link_wins
                links_that_were_not_used_are_taken_back
                links_that_expired_long_ago_are_forgotten
                whoever_is_suspended_or_removed_has_no_session_and_no_link
                invitations_that_still_work_are_listed_newest_first_with_whom_they_invite
            }
            activity {
                an_activity_round_trips
                a_stream_is_that_of_its_project
                what_happened_to_one_thing_is_listed_wherever_the_scope_sees_it
                events_are_part_of_the_unit
                many_events_of_one_entity_fit_in_one_batch
                simultaneous_events_of_an_owned_entity_are_all_kept
            }
            check {
                a_sound_database_contradicts_nothing
                who_is_suspended_and_signed_in_is_a_contradiction
                a_link_into_another_company_is_a_contradiction
                work_that_began_too_early_is_a_contradiction_unless_it_was_forced
                a_holder_where_none_can_be_is_a_contradiction
                a_parent_in_another_project_is_a_contradiction
                work_of_somebody_without_access_is_a_contradiction
                what_a_removed_agent_did_is_no_contradiction
                dependencies_in_a_circle_are_a_contradiction
                contradictions_are_limited_for_each_rule
                events_are_no_contradiction_however_many_there_are
            }
            comment {
                comments_of_every_target_are_listed_oldest_first_or_newest_first
                comments_are_those_of_kind_and_id
                the_log_of_a_group_is_never_listed
            }
            constraint {
                an_address_that_is_taken_is_an_invalid_email
                blank_titles_and_names_are_refused
                ids_hashes_and_numbers_that_are_taken_are_refused
                references_to_nothing_are_refused
                values_out_of_range_are_refused
                a_nul_character_is_kept_whole_or_refused_without_a_word_of_the_database
            }
            document {
                a_document_round_trips
                documents_are_listed_latest_updated_first_without_texts
                documents_are_called_by_their_titles
                an_ideas_reports_are_listed_newest_first_with_their_texts
                a_proposals_reports_are_counted_whatever_its_status
                saving_a_document_replaces_what_it_says
                past_versions_are_kept_and_listed_newest_first
                all_documents_of_a_proposal_are_listed_oldest_first
                dropped_documents_go_with_what_hangs_on_them
            }
            elaboration {
                rounds_round_trip_by_number
                answers_are_put_by_the_names_of_the_questions
                the_status_of_one_round_is_set
            }
            group {
                a_group_round_trips
                groups_are_listed_oldest_first_with_their_visible_projects
                a_groups_figures_are_of_its_visible_projects
                members_are_listed_oldest_first_and_go_one_by_one
                the_people_of_a_company_are_listed_oldest_first
                rows_by_id_are_those_of_the_company
                a_saved_project_keeps_what_is_in_it
                a_deleted_project_takes_everything_in_it_along
                tasks_awaited_elsewhere_are_the_unfinished_ones
                holders_are_counted_by_project_with_what_is_unfinished
                a_group_goes_only_without_projects
                access_to_projects_that_were_not_granted_is_not_written
                the_operator_lists_what_nobody_else_sees_whole
            }
            idea {
                an_idea_round_trips
                saving_an_idea_replaces_every_field
                ideas_are_listed_newest_first_without_contents
                facts_count_proposals_of_the_ideas_project_by_status
                facts_count_a_proposal_of_several_ideas_for_each
                facts_tally_the_tasks_of_the_approved_proposal_created_last
                facts_count_reports_under_approved_or_closed_proposals
                reports_are_those_of_proposals_of_the_ideas_project
                facts_count_direct_children
                every_read_of_an_idea_tells_the_same_facts
                ideas_below_are_found_at_any_depth
                a_circle_of_parents_ends
                ideas_above_are_the_line_to_the_root
                a_proposal_from_documents_names_no_idea
                children_are_listed_newest_first_and_named_oldest_first
                everything_that_came_of_an_idea_follows_it
                a_circle_of_parents_can_be_moved
                a_dropped_idea_leaves_its_children_as_roots
                the_ideas_in_a_project_come_with_their_facts_latest_updated_first
            }
            idempotency {
                an_answer_is_given_again_with_the_projects_it_touched
                a_key_that_was_rolled_back_is_free
                a_key_of_a_failed_unit_is_free
                other_arguments_under_a_key_are_told_apart
                an_answer_is_forgotten_after_its_retention
                retention_is_the_keys_own_and_has_no_bounds
                keys_of_other_callers_surfaces_and_tools_are_other_keys
                one_of_simultaneous_twins_executes_and_the_others_get_its_answer
                simultaneous_calls_with_different_keys_do_not_share_answers
                a_waiting_twin_gets_the_key_when_the_first_rolls_back
                a_waiting_twin_gets_the_key_when_the_first_is_dropped
                a_waiting_twin_gets_the_answer_when_the_first_commits
                old_answers_are_forgotten_a_limited_number_at_a_time
                a_key_used_again_while_old_answers_are_forgotten_is_kept
            }
            identity {
                an_empty_database_has_no_company
                companies_are_listed_oldest_first
                users_round_trip_oldest_first
                an_address_is_found_without_case_and_in_its_company_only
                one_address_may_be_used_in_two_companies_and_none_by_many
                a_password_is_replaced
                a_credential_is_the_key_its_agent_and_the_first_user
                an_ownerless_agent_has_a_credential_too
                the_first_user_is_the_earliest_then_the_one_with_the_lowest_id
                a_revoked_key_says_since_when
                keys_are_listed_of_one_agent_or_of_all
                use_of_a_key_is_noted_at_most_once_a_minute
                agents_are_listed_with_their_owners_addresses
                what_the_operator_names_is_found_by_id_or_by_its_whole_name
                checking_in_touches_the_agent_alone
                a_profile_is_the_agent_and_its_owner
                names_are_those_of_the_scopes_company
                a_saved_agent_keeps_its_times
                holdings_are_what_an_agent_holds_and_what_it_comes_in_with
                a_removed_agent_leaves_its_name_and_nothing_else
                whoever_is_kept_is_not_removed_meanwhile
                an_unknown_company_has_nobody
                one_of_several_first_runs_sets_the_database_up
            }
            leaving {
                holdings_are_looked_for_in_some_projects_too
                stakes_are_those_of_whoever_has_something_unfinished_with_whose_access_counts
                a_suspended_person_is_nowhere_until_they_are_back
                another_stands_in_where_the_first_user_is_suspended
                whoever_is_not_there_is_told_apart
                a_removed_person_leaves_their_name_and_nothing_else
                the_roles_of_a_suspended_person_go_with_their_places
                sessions_of_agents_are_closed_together
                whoever_is_kept_is_not_suspended_meanwhile
                somebody_who_is_not_there_is_not_suspended
            }
            limits {
                the_longest_titles_and_bodies_fit
                the_longest_comment_fits
                story_points_keep_every_digit
                times_keep_their_microseconds
                times_sort_by_the_microsecond
                the_last_version_can_be_saved
                a_batch_of_two_hundred_tasks_with_criteria_and_edges_fits
                pages_far_beyond_the_end_are_empty
            }
            mention {
                people_are_found_by_any_piece_of_their_names_without_case
                people_are_found_by_their_addresses_too
                agents_are_found_by_those_they_belong_to
                agents_come_before_people_and_never_more_than_asked_for
                without_a_piece_the_agents_made_last_are_found
                with_a_project_only_those_who_see_it_are_found
                mentions_need_a_grant_for_what_holds_the_text
            }
            notification {
                a_notification_round_trips
                unread_notifications_are_those_of_the_recipient
                the_digest_counts_all_and_shows_the_newest
                read_notifications_are_no_longer_unread
                an_unread_notification_is_refreshed_where_its_topic_joins
                notifications_of_one_batch_join_each_other_too
                only_the_same_recipient_entity_and_topic_join
                a_read_notification_is_followed_by_a_new_one
                simultaneous_notifications_of_an_owned_entity_join_in_one
                unread_notifications_of_unseen_projects_do_not_exist
                the_audience_is_the_parties_and_the_people_behind_them
                the_administrators_of_a_project_are_its_own_its_groups_and_the_automatic_one
                the_audience_is_only_who_sees_the_project
                what_is_gone_is_told_about_its_project_and_what_moved_where_it_is
                notifications_are_listed_by_state_newest_first
                a_span_begins_behind_a_place_or_after_some_rows
                one_notification_is_found_by_its_recipient_alone
                marking_all_spares_what_is_newer_hidden_or_somebody_elses
                what_was_archived_is_neither_listed_nor_counted
                preferences_are_all_on_and_set_one_by_one
                what_is_muted_comes_with_the_audience
                exchanges_count_mentions_of_two_agents_about_one_thing
                notifications_about_what_is_gone_are_put_away
                the_level_of_a_party_is_its_own_or_its_owners
            }
            overview {
                what_waits_for_people_is_found_by_its_state
                only_who_may_edit_is_waited_for
                what_waits_longest_comes_first_and_a_walk_meets_all
                the_first_projects_of_each_group_are_found_at_once
                a_projects_progress_counts_what_is_in_it
                unread_mentions_are_told_apart
                projects_at_hand_are_those_pinned_and_those_opened_last
            }
            paging {
                a_walk_by_places_meets_each_row_once_and_in_order
                a_walk_by_page_numbers_meets_the_same_rows
                totals_count_the_whole_list_wherever_a_part_begins
                a_walk_loses_no_row_while_others_come_and_move
                a_walk_goes_on_behind_a_place_without_a_row
                an_empty_list_has_one_empty_page
                a_full_last_page_says_that_nothing_follows
            }
            project {
                a_project_round_trips
                a_projects_counts_are_of_what_is_in_it
                projects_are_listed_latest_updated_first
                visible_projects_are_those_among_the_asked
                all_visible_projects_are_listed_by_id_up_to_a_limit
                a_member_has_one_role_at_a_time
                a_located_thing_says_where_it_is_and_who_asks
                what_does_not_exist_is_located_nowhere
                a_thing_of_another_company_reads_as_not_found
                many_things_are_located_at_once
                a_group_is_viewed_as_its_principal_stands_to_it
                an_empty_group_shows_no_child_and_a_foreign_one_is_missing
                a_groups_projects_are_the_visible_ones
            }
            proposal {
                a_proposal_round_trips
                saving_a_proposal_leaves_inputs_and_drafts_alone
                proposals_are_listed_newest_first_without_descriptions
                document_drafts_keep_their_order
                task_drafts_keep_their_order
                drafts_added_in_one_batch_keep_their_order
                uses_of_an_input_are_listed_newest_first
                stored_inputs_come_with_their_kinds
                one_draft_is_found_in_its_own_proposal
                saved_drafts_keep_their_places
                drafts_go_and_what_depended_on_them_is_set
                a_dropped_proposal_goes_with_what_hangs_on_it
            }
            race {
                one_of_sixteen_simultaneous_claims_of_a_task_wins
                one_of_sixteen_simultaneous_claims_of_an_idea_wins
                one_of_four_simultaneous_approvals_makes_the_tasks
                opposite_edges_added_at_once_close_no_circle
                a_ring_of_edges_added_at_once_stays_open
                writers_of_different_fields_both_survive
                savers_without_a_lock_lose_no_update
                units_that_lock_overlapping_rows_all_finish
                a_role_that_changes_while_a_unit_waits_is_seen_by_its_second_look
                what_is_read_under_a_lock_is_the_newest
                what_is_shared_does_not_change
                assigning_and_editing_at_once_keeps_both
            }
            reference {
                references_of_every_target_are_listed_oldest_first
                saving_a_reference_keeps_its_target_and_maker
                a_reference_that_is_gone_is_neither_saved_nor_dropped_again
                references_of_unseen_projects_do_not_exist
                references_say_what_they_are_attached_to
                a_reference_needs_a_grant_for_what_it_is_attached_to
            }
            roster {
                agents_are_listed_by_name_with_their_owners
                the_keys_of_an_agent_are_those_that_were_not_revoked
            }
            scope {
                a_public_project_is_seen_by_its_whole_company
                a_private_project_is_seen_by_its_members
                a_private_project_is_seen_by_the_members_of_its_group
                the_first_user_sees_a_private_project_while_it_has_no_administrator
                the_first_user_sees_a_groups_projects_while_the_group_has_no_administrator
                an_ownerless_agent_sees_public_projects_only
                another_company_sees_nothing
                a_restriction_narrows_and_never_widens
                prerequisites_are_named_to_those_who_see_them_and_counted_for_others
                a_place_outlives_its_rights_and_shows_nothing
                random_worlds_are_seen_as_the_rules_say
            }
            search {
                words_find_what_has_them_in_title_or_text_whatever_it_is
                one_or_two_characters_find_chinese_japanese_and_korean
                case_width_and_accents_do_not_count
                the_beginning_of_a_word_finds_it_and_its_middle_does_not
                more_terms_come_first_then_titles_then_the_latest
                operators_wildcards_and_quotes_are_plain_text
                a_query_without_words_finds_nothing
                emoji_and_mixed_scripts_are_found
                very_long_queries_and_texts_are_searched
                counts_are_of_all_matches_of_the_kinds_asked_for
                of_a_very_frequent_word_the_newest_take_part_and_full_matches_always
                the_index_is_part_of_the_unit_that_writes
                what_moves_is_found_where_it_is_now
                what_is_hidden_is_neither_found_nor_counted
                a_ground_is_a_group_with_its_projects_or_a_project
                a_thing_is_found_by_its_id_among_the_kinds_asked_for
                neighbours_are_each_listed_once_the_nearest_first
                ids_of_a_kind_come_from_the_end_of_their_range
            }
            session {
                a_session_round_trips_for_its_agent_alone
                sessions_are_listed_newest_first_by_status_and_agent
                use_refreshes_active_sessions_and_no_clock_goes_back
                a_session_is_once_at_each_task_until_it_leaves
                the_tasks_of_a_session_are_told_to_its_agent_hidden_ones_too
                workers_are_the_fresh_sessions_at_a_task
                checkins_go_with_their_session_and_their_task
                a_checkin_needs_a_grant_for_its_task_and_leaving_all_needs_none
                a_session_that_is_closed_while_another_checks_in_is_left_at_no_task
                those_at_work_on_a_project_are_its_fresh_active_sessions
            }
            task {
                a_task_round_trips
                saving_a_task_replaces_every_field
                tasks_beside_others_come_with_their_projects
                tasks_are_listed_by_priority_then_newest_first_without_descriptions
                filters_of_tasks_narrow_together
                unblocked_tasks_have_no_open_prerequisite_hidden_ones_included
                tasks_beside_one_are_named_or_counted
                tasks_beside_one_are_listed_oldest_first
                edges_come_and_go
                criteria_round_trip_in_their_order
                the_two_marks_are_set_and_reset_independently
                a_tasks_comments_are_counted
                dependants_are_the_unfinished_tasks_that_wait
                edges_below_are_all_that_can_be_reached
                edges_below_a_long_chain_are_found
                a_circle_of_edges_ends
                all_tasks_of_a_proposal_are_listed_oldest_first
                closing_the_tasks_of_a_proposal_cuts_them_off
                a_dropped_task_goes_with_what_hangs_on_it
            }
            tracker {
                ideas_that_are_done_by_themselves_are_left_out
                tracked_ideas_are_listed_latest_updated_first
                unfinished_tasks_are_tracked_by_priority_then_latest_assigned
                tracked_tasks_count_verdicts_not_self_checks
                a_tracker_stops_at_its_limit
            }
            unit {
                the_database_answers
                a_committed_unit_keeps_everything
                a_unit_sees_its_own_writes_and_others_do_not
                reads_see_what_is_committed_when_they_run
                a_rolled_back_unit_keeps_nothing
                dropped_units_keep_nothing_and_leave_the_store_usable
                dropped_readers_give_their_connections_back
                a_cancelled_unit_keeps_nothing
                a_unit_cancelled_anywhere_is_whole_or_absent
                a_panic_keeps_nothing
                a_failing_write_takes_those_before_it_with_it
                a_failing_activity_event_or_notification_takes_the_rows_with_it
                commit_after_an_error_refuses
                an_empty_batch_writes_nothing
                rows_outside_the_granted_projects_are_refused
                parts_of_things_outside_the_granted_projects_are_refused
                the_stored_project_counts_not_the_one_in_the_row
                a_project_made_in_a_batch_is_covered_by_it
                what_belongs_to_no_project_needs_no_grant
                a_stale_save_has_to_run_again
                a_unit_may_save_a_row_more_than_once
                locking_passes_over_rows_that_do_not_exist
                audit_rows_are_part_of_the_unit
                a_demand_on_what_a_unit_wrote_is_decided_inside_it
            }
            waiting {
                tasks_are_filtered_by_who_holds_them
                open_prerequisites_are_counted_hidden_ones_too
                dependencies_of_a_project_are_listed_unfinished_ones_first
            }
        }
    };
}

#[cfg(test)]
mod tests {
    use std::{collections::BTreeSet, fs, path::Path};

    macro_rules! listed {
        (() $($family:ident { $($name:ident)* })*) => { [$((stringify!($family), &[$(stringify!($name)),*] as &[&str])),*] };
    }

    #[test]
    fn no_function_and_no_file_is_left_out_of_the_list() {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("src/testing");
        let mut files: BTreeSet<String> =
            fs::read_dir(&folder).unwrap().map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
        for (family, names) in contract_list!(() listed) {
            let file = format!("{family}.rs");
            let text = fs::read_to_string(folder.join(&file)).unwrap();
            let written: Vec<_> = text
                .lines()
                .filter_map(|line| line.strip_prefix("pub async fn ")?.split_once('('))
                .map(|(name, _)| name)
                .collect();
            assert_eq!(written, names, "{file}");
            files.remove(&file);
        }
        assert_eq!(files, ["mod.rs", "world.rs"].map(String::from).into());
    }

    #[test]
    fn names_are_unique() {
        assert_eq!(super::NAMES.iter().collect::<BTreeSet<_>>().len(), super::NAMES.len());
    }
}
