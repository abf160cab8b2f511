import { type FormEvent, useRef, useState } from 'react';
import type { Seat } from '@/entities/appointment/appointment-text';
import { useT } from '@/i18n/provider';
import type { ChoiceChipsHandle } from '@/ui/choice-chips';
import layout from '@/ui/layout.module.css';
import { UnsavedGuard } from '@/ui/unsaved-guard';
import { Booked } from './booked';
import classes from './booking.module.css';
import type { BookingStart, BookingStep } from './booking-machine';
import { DetailsSection } from './details-section';
import { PatientSection } from './patient-section';
import { SummarySection } from './summary-section';
import { TimeSection } from './time-section';
import { useBooking } from './use-booking';

/** Books an appointment: patient, service and time, and details on one page. It ends with what was booked. */
export function BookPage({ start }: { start: BookingStart }) {
  // Each booking starts with a new form.
  const [round, setRound] = useState({ number: 0, start });
  return (
    <Booking
      key={round.number}
      start={round.start}
      onAgain={(next) => setRound({ number: round.number + 1, start: next })}
    />
  );
}

interface BookingProps {
  start: BookingStart;
  onAgain: (start: BookingStart) => void;
}

function Booking({ start, onAgain }: BookingProps) {
  const t = useT();
  const booking = useBooking(start);
  const { state, dispatch, form, slots, incomplete, step } = booking;
  const patientInput = useRef<HTMLInputElement>(null);
  const serviceChips = useRef<ChoiceChipsHandle>(null);
  const dayChips = useRef<ChoiceChipsHandle>(null);
  const reasonInput = useRef<HTMLInputElement>(null);
  const submitButton = useRef<HTMLButtonElement>(null);
  const changedButton = useRef<HTMLButtonElement>(null);

  if (step === 'done' && state.booked) {
    return (
      <Booked
        booked={state.booked}
        service={booking.service}
        startTime={booking.seat?.startTime ?? state.startTime}
        onAnother={() => onAgain({})}
        onSamePatient={() => onAgain({ patientId: state.patientId })}
      />
    );
  }
  const focusStep: Partial<Record<BookingStep, () => void>> = {
    patient: () => patientInput.current?.focus(),
    service: () => serviceChips.current?.focusFirst(),
    day: () => dayChips.current?.focusFirst(),
    slot: () => dayChips.current?.focusFirst(),
    full: () => reasonInput.current?.focus(),
  };
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    dispatch({ type: 'submit', missing: incomplete });
    if (incomplete === 'full') form.setFieldError('overbookReason', t.appointment.overbookReasonNeeded);
    if (incomplete) return focusStep[incomplete]?.();
    // The action has changed: the user chooses below the button before anything is sent.
    if (booking.instead) return changedButton.current?.focus();
    booking.onSubmit(event);
  };
  const choosePatient = ({ id }: { id: number }) => {
    dispatch({ type: 'choosePatient', patientId: id });
    // After the picker and the dialog have released the focus.
    setTimeout(() => serviceChips.current?.focusChosen());
  };
  const takeSeat = ({ date, startTime }: Seat) => {
    booking.chooseTime(date, startTime);
    slots.show(null);
    submitButton.current?.focus();
  };
  return (
    <div className={layout.page}>
      <UnsavedGuard unsaved={booking.unsaved} />
      <PatientSection booking={booking} onChoose={choosePatient} inputRef={patientInput} />
      <form noValidate onSubmit={submit} className={classes.form} aria-label={t.page.appointmentCreate}>
        <div className={layout.main}>
          <TimeSection
            booking={booking}
            serviceRef={serviceChips}
            dayRef={dayChips}
            reasonRef={reasonInput}
          />
          <DetailsSection booking={booking} />
        </div>
        <SummarySection
          booking={booking}
          onTake={takeSeat}
          onFollow={() => {
            booking.follow();
            submitButton.current?.focus();
          }}
          submitRef={submitButton}
          changedRef={changedButton}
        />
      </form>
    </div>
  );
}
